"""What gunicorn serves: `gunicorn costcodle.wsgi`."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created

from costcodle.statements import limit_for_the_web

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "costcodle.settings")
try:
    application = get_wsgi_application()
    connection_created.connect(limit_for_the_web)
except ImproperlyConfigured as error:
    sys.exit(str(error))
