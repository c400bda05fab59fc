"""How an amount is written. Pure."""

from costcodle.game.rules import Cents


def dollars(cents: Cents) -> str:
    """US dollars with thousands separated and always two decimals: 129999 is `$1,299.99`."""
    return f"${cents // 100:,}.{cents % 100:02d}"


def decimal(cents: Cents) -> str:
    """The same for programs, without sign or grouping: 129999 is `1299.99`."""
    return f"{cents // 100}.{cents % 100:02d}"
