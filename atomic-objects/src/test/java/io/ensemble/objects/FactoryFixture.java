package io.ensemble.objects;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Factories on one store in memory, like those of several processes; closed together. */
final class FactoryFixture implements AutoCloseable {

  static final ObjectType<Visits> VISITS = ObjectType.of(Visits.class);

  final MemoryStore store = new MemoryStore(1);
  private final List<AtomicObjectFactory> open = new ArrayList<>();

  AtomicObjectFactory one() {
    return one(ProtocolSettings.DEFAULT);
  }

  AtomicObjectFactory one(ProtocolSettings protocolSettings) {
    return one(protocolSettings, Duration.ofSeconds(20), Duration.ofMillis(200));
  }

  AtomicObjectFactory one(
      ProtocolSettings protocolSettings, Duration timeout, Duration requestTimeout) {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .layout(protocolSettings)
            .timeout(timeout)
            .requestTimeout(requestTimeout)
            .build();
    open.add(factory);
    return factory;
  }

  /** Waits for a number of listeners: they are added and removed independently of calls. */
  void awaitWatchers(int wanted) {
    await(wanted + " listeners")
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> store.watchers() == wanted);
  }

  @Override
  public void close() {
    open.forEach(AtomicObjectFactory::close);
    store.close();
  }
}
