"""The addresses for signing in and out and for passwords: Django's views in the style of the pages."""

from django.contrib.auth import views
from django.urls import path

urlpatterns = [
    path(
        "login/",
        views.LoginView.as_view(template_name="account/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path(
        "password/",
        views.PasswordChangeView.as_view(template_name="account/password_change.html"),
        name="password_change",
    ),
    path(
        "password/done/",
        views.PasswordChangeDoneView.as_view(template_name="account/password_changed.html"),
        name="password_change_done",
    ),
    path(
        "password/reset/",
        views.PasswordResetView.as_view(
            template_name="account/reset.html",
            email_template_name="account/reset_mail.txt",
            subject_template_name="account/reset_subject.txt",
        ),
        name="password_reset",
    ),
    path(
        "password/reset/sent/",
        views.PasswordResetDoneView.as_view(template_name="account/reset_sent.html"),
        name="password_reset_done",
    ),
    path(
        "password/reset/<uidb64>/<token>/",
        views.PasswordResetConfirmView.as_view(template_name="account/reset_confirm.html"),
        name="password_reset_confirm",
    ),
    path(
        "password/reset/done/",
        views.PasswordResetCompleteView.as_view(template_name="account/reset_done.html"),
        name="password_reset_complete",
    ),
]
