"""What a run's rows mean, as plain facts for pages, socket, admin and API. Nothing here knows of HTTP."""
