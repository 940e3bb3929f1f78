package io.ensemble.check.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Change;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class UnreliableEventStoreTest {
  private static final int EVENTS = 400;

  private Consumer<Change> events;

  @Test
  void eventsAreLostAndRepeatedOnlyWhileTheyAreSpoilt() {
    List<String> heard = new CopyOnWriteArrayList<>();
    UnreliableEventStore hints = new UnreliableEventStore(store(), 1);
    hints.watch(change -> heard.add(change.key()));

    events.accept(change("before"));
    hints.setFaulty(true);
    for (int i = 0; i < EVENTS; i++) {
      events.accept(change("spoilt"));
    }
    long atOnce = heard.stream().filter("spoilt"::equals).count();
    hints.setFaulty(false);
    events.accept(change("after"));

    assertThat(heard).contains("before", "after");
    assertThat(atOnce).isPositive().isLessThan(EVENTS / 2);
  }

  private static Change change(String key) {
    return new Change(key, Optional.empty());
  }

  private ObjectStore store() {
    return (ObjectStore)
        Proxy.newProxyInstance(
            UnreliableEventStoreTest.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              @SuppressWarnings("unchecked")
              Consumer<Change> listener = (Consumer<Change>) arguments[0];
              events = listener;
              return Optional.<AutoCloseable>of(() -> {});
            });
  }
}
