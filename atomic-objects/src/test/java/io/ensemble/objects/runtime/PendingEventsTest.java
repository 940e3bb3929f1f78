package io.ensemble.objects.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PendingEventsTest {

  private final PendingEvents pendingEvents = new PendingEvents();

  @Test
  void theLastOfEachIsKeptAndTakenOnce() {
    UUID sender = new UUID(1, 1);

    assertThat(pendingEvents.root(entry(1))).isTrue();
    assertThat(pendingEvents.root(entry(2))).isFalse();
    assertThat(pendingEvents.mail(sender, entry(3))).isFalse();
    assertThat(pendingEvents.mail(sender, Optional.empty())).isFalse();

    PendingEvents.Events events = pendingEvents.all();
    assertThat(events.root().orElseThrow().token()).isEqualTo(2);
    assertThat(events.mail()).containsOnlyKeys(sender).containsValue(Optional.empty());
    assertThat(pendingEvents.all().changed()).isFalse();
    assertThat(pendingEvents.mail(sender, entry(4))).isTrue();
  }

  @Test
  void whileNobodyTakesThemTheyAreFew() {
    for (int i = 0; i < 10_000; i++) {
      pendingEvents.mail(new UUID(1, i), entry(i));
    }
    pendingEvents.mail(new UUID(1, 0), entry(-1));

    PendingEvents.Events events = pendingEvents.all();

    assertThat(events.mail()).hasSize(256);
    assertThat(events.mail().get(new UUID(1, 0)).orElseThrow().token()).isEqualTo(-1);
    assertThat(events.changed()).isFalse();
  }

  private static Optional<Entry> entry(int token) {
    return Optional.of(new Entry(new byte[0], token));
  }
}
