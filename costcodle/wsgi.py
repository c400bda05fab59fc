"""What gunicorn serves: `gunicorn costcodle.wsgi`."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from costcodle import patience

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "costcodle.settings")
try:
    application = get_wsgi_application()
    patience.limit()
except ImproperlyConfigured as error:
    sys.exit(str(error))
