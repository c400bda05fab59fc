"""The one row of site_state, which nothing ever deletes."""

import uuid

from django.db import migrations

from costcodle import clock


def write_the_row(apps, schema_editor):
    apps.get_model("costcodle", "SiteState").objects.create(
        id=1, revision_token=uuid.uuid4(), updated_at=clock.now()
    )


class Migration(migrations.Migration):
    dependencies = [("costcodle", "0001_initial")]

    operations = [migrations.RunPython(write_the_row, migrations.RunPython.noop)]
