package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.drive.Additions.Stamp;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private static final UUID BIRTH = new UUID(1, 2);
  private static final Optional<Stamp> FIRST = Optional.of(new Stamp(BIRTH, 1));
  private static final Optional<Stamp> SECOND = Optional.of(new Stamp(BIRTH, 2));

  private final Ledger ledger = new Ledger(name -> !name.equals("other"));

  @Test
  void aThousandEventsOfAKeyAreOneLook() {
    int due = 0;
    for (int i = 0; i < 1_000; i++) {
      due += ledger.hint("a") ? 1 : 0;
    }

    assertThat(due).isEqualTo(1);
    assertThat(ledger.next()).isEqualTo("a");
    assertThat(ledger.next()).isNull();
  }

  @Test
  void whatChangesDuringALookIsLookedAtAgain() {
    ledger.hint("a");
    ledger.next();

    ledger.hint("a");
    ledger.looked("a", null, false);

    assertThat(ledger.next()).isEqualTo("a");
  }

  @Test
  void anEventDuringALookAtWhatACheckHasSeenIsDue() {
    ledger.read("a", FIRST);
    ledger.next();

    assertThat(ledger.hint("a")).isTrue();

    assertThat(ledger.next()).isEqualTo("a");
  }

  @Test
  void aKeyWithMoreToTellComesAfterTheOthers() {
    ledger.hint("a");
    ledger.hint("b");
    ledger.next();

    ledger.looked("a", null, true);

    assertThat(ledger.next()).isEqualTo("b");
    assertThat(ledger.next()).isEqualTo("a");
  }

  @Test
  void anEntryThatIsAsItWasWhenAllWasToldIsNotLookedAt() {
    assertThat(ledger.read("a", FIRST)).isTrue();
    ledger.next();
    ledger.looked("a", ledger.seen("a"), false);

    assertThat(ledger.read("a", FIRST)).isFalse();
    assertThat(ledger.next()).isNull();
    assertThat(ledger.read("a", SECOND)).isTrue();
    assertThat(ledger.next()).isEqualTo("a");
  }

  @Test
  void anEntryThatWasReadAfterTheLookBeganIsLookedAtAgain() {
    ledger.read("a", FIRST);
    ledger.next();
    Optional<Stamp> before = ledger.seen("a");
    ledger.read("a", SECOND);

    ledger.looked("a", before, false);

    assertThat(ledger.next()).isEqualTo("a");
    assertThat(ledger.seen("a")).isEqualTo(SECOND);
    assertThat(ledger.read("a", SECOND)).as("it is not settled by the look before").isTrue();
  }

  @Test
  void anEntryIsNotSettledWhileThereIsMore() {
    ledger.read("a", FIRST);
    ledger.next();

    ledger.looked("a", ledger.seen("a"), true);

    assertThat(ledger.read("a", FIRST)).isTrue();
  }

  @Test
  void whatHasFailedIsDueAfterThePause() {
    ledger.hint("a");
    ledger.next();
    assertThat(ledger.failed("a")).isTrue();
    assertThat(ledger.failed("b")).as("another pause").isFalse();
    assertThat(ledger.next()).isNull();

    ledger.again();

    assertThat(ledger.next()).isEqualTo("a");
    assertThat(ledger.next()).isEqualTo("b");
    assertThat(ledger.failed("a")).isTrue();
  }

  @Test
  void nobodyIsToldOfWhatIsNotListenedTo() {
    assertThat(ledger.hint("other")).isFalse();
    ledger.found("other");

    assertThat(ledger.next()).isNull();
    assertThat(ledger.names()).isEmpty();
  }

  @Test
  void aPositionKeepsKeysThatNobodyListensToNow() {
    Mark mark = new Mark(1, 5);

    ledger.take(Map.of("other", mark, "a", mark));
    ledger.told("a", new Mark(1, 6));

    assertThat(ledger.position()).isEqualTo(Map.of("other", mark, "a", new Mark(1, 6)));
    assertThat(ledger.next()).isEqualTo("a");
    assertThat(ledger.next()).isNull();
  }

  @Test
  void aKeyThatIsKnownIsNotFound() {
    ledger.begin("a", new Mark(1, 5));

    ledger.found("a");
    ledger.found("b");

    assertThat(ledger.next()).isEqualTo("b");
    assertThat(ledger.next()).isNull();
    assertThat(ledger.mark("a")).isEqualTo(new Mark(1, 5));
  }
}
