"""What an operator is asked in the admin, read by the same rules as a command's arguments."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from answers import operating
from answers.operations import Correction

_MOST_FENCE: Final = 2**63 - 1


class ReadField(forms.CharField):
    """A line as a command would read it; `None` where it is empty and need not be there."""

    def __init__(self, read: Callable[[str], object], **options: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(**options)
        self.read = read

    def clean(self, value: object) -> Any:  # noqa: ANN401 - Django's signature
        """What was read. Raises `ValidationError` with the words that the command would use."""
        written = super().clean(value)
        if not written:
            return None
        try:
            return self.read(written)
        except ArgumentTypeError as error:
            raise ValidationError(str(error)) from None


class SureForm(forms.Form):
    """Nothing to say but that it is meant."""


class WithdrawalForm(forms.Form):
    """Why a page is taken back."""

    reason = ReadField(operating.text, label="Why", help_text="For the log alone; never public.")


class CorrectionForm(forms.Form):
    """What was wrong; what is left empty stays as it is."""

    price = ReadField(operating.price, required=False, help_text="For example 11.99.")
    name = ReadField(operating.text, required=False, help_text="The item's name.")
    note = ReadField(
        operating.text,
        required=False,
        help_text="What readers are told. Without one, the page says what was changed.",
    )

    def clean(self) -> dict[str, Any]:
        """Raises `ValidationError` where nothing at all was said."""
        said: dict[str, Any] = super().clean() or {}
        if not self.errors and self.correction(said) == Correction():
            raise ValidationError("Say a price, a name or a note.")
        return said

    @staticmethod
    def correction(said: dict[str, Any]) -> Correction:
        """The errata that the form was filled in with."""
        return Correction(price=said["price"], name=said["name"], note=said["note"])


class TermForm(forms.Form):
    """The term of a lease as the operator saw it, so that no other one is ended."""

    owner = forms.CharField(max_length=100, strip=False, widget=forms.HiddenInput)
    fence = forms.IntegerField(min_value=1, max_value=_MOST_FENCE, widget=forms.HiddenInput)
