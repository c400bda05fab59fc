"""The routes of published answers, below `/answers/`."""

from django.urls import path

from answers import views

urlpatterns = [
    path("", views.newest, name="answers"),
    path("page/<number:page>", views.older, name="answers_page"),
    path("<number:number>", views.answer, name="answer"),
]
