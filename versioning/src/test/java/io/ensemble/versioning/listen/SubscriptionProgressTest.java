package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.drive.VersionFeed.Stamp;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SubscriptionProgressTest {

  private static final UUID BIRTH = new UUID(1, 2);
  private static final Optional<Stamp> FIRST = Optional.of(new Stamp(BIRTH, 1));
  private static final Optional<Stamp> SECOND = Optional.of(new Stamp(BIRTH, 2));

  private final SubscriptionProgress subscriptionProgress =
      new SubscriptionProgress(name -> !name.equals("other"));

  @Test
  void aThousandEventsOfAKeyAreOneLook() {
    int due = 0;
    for (int i = 0; i < 1_000; i++) {
      due += subscriptionProgress.hint("a") ? 1 : 0;
    }

    assertThat(due).isEqualTo(1);
    assertThat(subscriptionProgress.next()).isEqualTo("a");
    assertThat(subscriptionProgress.next()).isNull();
  }

  @Test
  void whatChangesDuringALookIsLookedAtAgain() {
    subscriptionProgress.hint("a");
    subscriptionProgress.next();

    subscriptionProgress.hint("a");
    subscriptionProgress.pageDelivered("a", null, false);

    assertThat(subscriptionProgress.next()).isEqualTo("a");
  }

  @Test
  void anEventDuringALookAtWhatACheckHasSeenIsDue() {
    subscriptionProgress.read("a", FIRST);
    subscriptionProgress.next();

    assertThat(subscriptionProgress.hint("a")).isTrue();

    assertThat(subscriptionProgress.next()).isEqualTo("a");
  }

  @Test
  void aKeyWithMoreToTellComesAfterTheOthers() {
    subscriptionProgress.hint("a");
    subscriptionProgress.hint("b");
    subscriptionProgress.next();

    subscriptionProgress.pageDelivered("a", null, true);

    assertThat(subscriptionProgress.next()).isEqualTo("b");
    assertThat(subscriptionProgress.next()).isEqualTo("a");
  }

  @Test
  void anEntryThatIsAsItWasWhenAllWasToldIsNotLookedAt() {
    assertThat(subscriptionProgress.read("a", FIRST)).isTrue();
    subscriptionProgress.next();
    subscriptionProgress.pageDelivered("a", subscriptionProgress.seen("a"), false);

    assertThat(subscriptionProgress.read("a", FIRST)).isFalse();
    assertThat(subscriptionProgress.next()).isNull();
    assertThat(subscriptionProgress.read("a", SECOND)).isTrue();
    assertThat(subscriptionProgress.next()).isEqualTo("a");
  }

  @Test
  void anEntryThatWasReadAfterTheLookBeganIsLookedAtAgain() {
    subscriptionProgress.read("a", FIRST);
    subscriptionProgress.next();
    Optional<Stamp> before = subscriptionProgress.seen("a");
    subscriptionProgress.read("a", SECOND);

    subscriptionProgress.pageDelivered("a", before, false);

    assertThat(subscriptionProgress.next()).isEqualTo("a");
    assertThat(subscriptionProgress.seen("a")).isEqualTo(SECOND);
    assertThat(subscriptionProgress.read("a", SECOND))
        .as("it is not settled by the look before")
        .isTrue();
  }

  @Test
  void anEntryIsNotSettledWhileThereIsMore() {
    subscriptionProgress.read("a", FIRST);
    subscriptionProgress.next();

    subscriptionProgress.pageDelivered("a", subscriptionProgress.seen("a"), true);

    assertThat(subscriptionProgress.read("a", FIRST)).isTrue();
  }

  @Test
  void whatHasFailedIsDueAfterThePause() {
    subscriptionProgress.hint("a");
    subscriptionProgress.next();
    assertThat(subscriptionProgress.failed("a")).isTrue();
    assertThat(subscriptionProgress.failed("b")).as("another pause").isFalse();
    assertThat(subscriptionProgress.next()).isNull();

    subscriptionProgress.retryFailed();

    assertThat(subscriptionProgress.next()).isEqualTo("a");
    assertThat(subscriptionProgress.next()).isEqualTo("b");
    assertThat(subscriptionProgress.failed("a")).isTrue();
  }

  @Test
  void nobodyIsToldOfWhatIsNotListenedTo() {
    assertThat(subscriptionProgress.hint("other")).isFalse();
    subscriptionProgress.found("other");

    assertThat(subscriptionProgress.next()).isNull();
    assertThat(subscriptionProgress.names()).isEmpty();
  }

  @Test
  void aPositionKeepsKeysThatNobodyListensToNow() {
    KeyPosition mark = new KeyPosition(1, 5);

    subscriptionProgress.take(Map.of("other", mark, "a", mark));
    subscriptionProgress.delivered("a", new KeyPosition(1, 6));

    assertThat(subscriptionProgress.position())
        .isEqualTo(Map.of("other", mark, "a", new KeyPosition(1, 6)));
    assertThat(subscriptionProgress.next()).isEqualTo("a");
    assertThat(subscriptionProgress.next()).isNull();
  }

  @Test
  void aKeyThatIsKnownIsNotFound() {
    subscriptionProgress.begin("a", new KeyPosition(1, 5));

    subscriptionProgress.found("a");
    subscriptionProgress.found("b");

    assertThat(subscriptionProgress.next()).isEqualTo("b");
    assertThat(subscriptionProgress.next()).isNull();
    assertThat(subscriptionProgress.position("a")).isEqualTo(new KeyPosition(1, 5));
  }
}
