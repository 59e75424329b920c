"""The addresses of the pages for operators, below that of the admin."""

from django.urls import path

from runs.admin import effects, health, platform, schedules, tools

urlpatterns = [
    path("effects/", effects.effects_page, name="operating-effects"),
    path("health/", health.health_page, name="operating-health"),
    path("health/<str:slug>/", health.sign_page, name="operating-health-sign"),
    path("platform/", platform.platform_page, name="operating-platform"),
    path("schedules/", schedules.schedules_page, name="operating-schedules"),
    path("schedules/add/", schedules.schedule_add, name="operating-schedules-add"),
    path("schedules/<str:name>/change/", schedules.schedule_page, name="operating-schedule"),
    path("schedules/<str:name>/remove/", schedules.schedule_remove, name="operating-schedule-remove"),
    path("tools/", tools.tools_page, name="operating-tools"),
]
