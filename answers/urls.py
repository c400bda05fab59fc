"""The routes of published answers, below `/answers/`."""

from django.urls import path

from answers import feeds, views

urlpatterns = [
    path("", views.newest, name="answers"),
    path("feed.xml", feeds.atom, name="feed_atom"),
    path("feed.json", feeds.json_feed, name="feed_json"),
    path("page/<number:page>", views.older, name="answers_page"),
    path("<number:number>", views.answer, name="answer"),
]
