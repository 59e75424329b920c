"""The Django project: settings, urls and the ASGI application. `platform/` around it is a folder, never a package."""
