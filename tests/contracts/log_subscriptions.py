"""What every log promises of a subscription."""

from __future__ import annotations

import threading

from edge.domain.events import NO_STREAM, Event
from edge.ports import CaughtUp, Checkpoint, EventLog
from tests.contracts.probes import PATIENCE, Follower, event, events, fresh_category, fresh_stream, ids


class SubscriptionContract:
    def test_a_subscription_catches_up_says_so_and_goes_on_live(self, log: EventLog) -> None:
        start, category, stream = log.head(), fresh_category(), fresh_stream()
        stream = fresh_stream(category)
        sent = events(150)
        log.append(stream, sent[:100], NO_STREAM)
        log.append(stream, sent[100:130], 99)
        follower = Follower(log, start, [category])
        before, position = follower.until_caught_up()
        assert [e.id for e in before if isinstance(e, Event)] == ids(sent[:130])
        assert position >= list(log.read(stream))[-1].position
        log.append(stream, sent[130:], 129)
        assert [follower.next_event().id for _ in range(20)] == ids(sent[130:])
        follower.stop()

    def test_it_catches_up_on_nothing(self, log: EventLog) -> None:
        head = log.head()
        follower = Follower(log, head, [fresh_category()])
        before, position = follower.until_caught_up()
        assert before == []
        assert position >= head
        follower.stop()

    def test_without_a_start_it_begins_at_the_beginning(self, log: EventLog) -> None:
        category = fresh_category()
        at = log.append(fresh_stream(category), events(2), NO_STREAM)
        follower = Follower(log, None, [category])
        follower.next_event()
        assert follower.next_event().position == at.position
        follower.stop()

    def test_unfiltered_it_delivers_every_category(self, log: EventLog) -> None:
        start = log.head()
        sent = [event(), event()]
        follower = Follower(log, start, None)
        follower.until_caught_up()
        for one in sent:
            log.append(fresh_stream(), [one], NO_STREAM)
        assert [follower.next_event().id for _ in sent] == ids(sent)
        follower.stop()

    def test_it_passes_checkpoints_also_when_nothing_matches(self, log: EventLog) -> None:
        category = fresh_category()
        follower = Follower(log, log.head(), [category])
        follower.until_caught_up()
        at = log.append(fresh_stream(), events(3), NO_STREAM)
        position = 0
        while position < at.position:
            item = follower.next()
            assert isinstance(item, Checkpoint)
            assert item.position > position
            position = item.position
        sent = event()
        later = log.append(fresh_stream(category), [sent], NO_STREAM)
        assert later.position > position, "a checkpoint ran ahead of what was still to come"
        assert ids(log.read_all(after=position, categories=[category])) == [sent.id]
        assert follower.next_event().id == sent.id
        follower.stop()

    def test_what_it_says_is_safe_to_store_misses_and_doubles_nothing(self, log: EventLog) -> None:
        """Whatever position was stored, going on from it delivers exactly the rest."""
        start, category = log.head(), fresh_category()
        sent: list[str] = []
        follower = Follower(log, start, [category])
        for n in range(6):
            batch = events(1 + n % 3)
            log.append(fresh_stream(category if n % 2 else None), batch, NO_STREAM)
            sent += ids(batch) if n % 2 else []
        seen: list[str] = []
        stored = [(start, 0)]
        while len(seen) < len(sent):
            match follower.next():
                case Event(id=id_, position=position, metadata=metadata):
                    seen.append(id_)
                    index, size = metadata["batch"]
                    if index == size - 1:
                        stored.append((position, len(seen)))
                case CaughtUp(position) | Checkpoint(position):
                    stored.append((position, len(seen)))
        follower.stop()
        assert seen == sent
        assert [p for p, _ in stored] == sorted(p for p, _ in stored)
        for position, count in stored:
            rest = log.read_all(after=position, categories=[category])
            assert ids(rest) == sent[count:]

    def test_it_never_pauses_inside_an_append(self, log: EventLog) -> None:
        start, category = log.head(), fresh_category()
        follower = Follower(log, start, [category])
        writing = threading.Thread(
            target=lambda: [log.append(fresh_stream(category), events(40), NO_STREAM) for _ in range(5)]
        )
        writing.start()
        inside, seen = False, 0
        while seen < 200:
            item = follower.next()
            if isinstance(item, Event):
                index, size = item.metadata["batch"]
                seen, inside = seen + 1, index < size - 1
            else:
                assert not inside, f"{item} inside an append"
        writing.join(PATIENCE)
        follower.stop()

    def test_stopping_ends_the_iteration_and_is_repeatable(self, log: EventLog) -> None:
        follower = Follower(log, log.head(), [fresh_category()])
        follower.until_caught_up()
        follower.stop()
        follower.stop()
        while (item := follower.next()) is not None:
            assert isinstance(item, Checkpoint)

    def test_closing_ends_subscriptions_and_may_be_repeated(self, log: EventLog) -> None:
        follower = Follower(log, log.head(), [fresh_category()])
        follower.until_caught_up()
        log.close()
        log.close()
        follower.thread.join(PATIENCE)
        assert not follower.thread.is_alive()
