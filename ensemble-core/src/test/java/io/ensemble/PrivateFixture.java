package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.codec.Codec;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.MapSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;

/** Private caches over three sites, whose stored entries the tests can change. */
abstract class PrivateFixture {

  final ThreadScheduler scheduler = new ThreadScheduler(2);
  final InMemoryDefinitions definitions = new InMemoryDefinitions();
  final List<MapSite> sites =
      List.of(
          new MapSite("a", scheduler), new MapSite("b", scheduler), new MapSite("c", scheduler));
  final TestKeyset keyset = new TestKeyset();

  /** The keyset of the cache "n", whose keys are private too. */
  final TestKeyset named = new TestKeyset(true);

  final List<EnsembleCacheManager> managers = new ArrayList<>();
  final EnsembleCacheManager manager = manager("c", "d", "n");

  /** A manager with the keysets for these caches. */
  EnsembleCacheManager manager(String... caches) {
    EnsembleCacheManagerBuilder builder = builder();
    for (String cache : caches) {
      builder.keyset(cache, (cache.equals("n") ? named : keyset).reference());
    }
    return built(builder);
  }

  EnsembleCacheManager managerWith(String cache, TestKeyset its) {
    return built(builder().keyset(cache, its.reference()));
  }

  private EnsembleCacheManagerBuilder builder() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().scheduler(scheduler).definitions(definitions);
    sites.forEach(builder::site);
    return builder;
  }

  private EnsembleCacheManager built(EnsembleCacheManagerBuilder builder) {
    managers.add(builder.build());
    return managers.get(managers.size() - 1);
  }

  @AfterEach
  void stop() {
    managers.forEach(EnsembleCacheManager::stop);
    scheduler.close();
  }

  static CacheDefinition definition(String name, Mode mode, Privacy privacy) {
    return CacheDefinition.of(name, mode)
        .sites("a", "b", "c")
        .deadline(Duration.ofSeconds(20))
        .privacy(privacy)
        .build();
  }

  EnsembleCache<String, String> created(String name, Mode mode) {
    return manager.createCache(definition(name, mode, Privacy.VALUES));
  }

  static Bytes storedKey(Mode mode, String key) {
    byte[] encoded = new Codec(List.of()).encode(key).array();
    if (mode != Mode.SWMR) {
      return Bytes.of(encoded);
    }
    byte[] prefixed = new byte[encoded.length + 1];
    prefixed[0] = 1;
    System.arraycopy(encoded, 0, prefixed, 1, encoded.length);
    return Bytes.of(prefixed);
  }

  Envelope stored(Mode mode, String cache, String key) {
    StoredDefinition stored = manager.stored(cache).orElseThrow();
    return EnvelopeCodec.decode(
        Objects.requireNonNull(
            sites.get(0).entries(stored.store("a").orElseThrow()).get(storedKey(mode, key))));
  }

  /** Changes an entry at every site. */
  void change(Mode mode, String cache, String key, UnaryOperator<Envelope> change) {
    StoredDefinition stored = manager.stored(cache).orElseThrow();
    settle(mode, cache, key);
    for (MapSite site : sites) {
      site.change(
          stored.store(site.name()).orElseThrow(),
          storedKey(mode, key),
          bytes -> EnvelopeCodec.encode(change.apply(EnvelopeCodec.decode(bytes))));
    }
  }

  private MapSite site(String name) {
    return sites.stream().filter(site -> site.name().equals(name)).findFirst().orElseThrow();
  }

  /** Changes an entry at one site. */
  void forgeAt(String site, String cache, Bytes key, UnaryOperator<Envelope> change) {
    site(site)
        .change(
            manager.stored(cache).orElseThrow().store(site).orElseThrow(),
            key,
            bytes -> EnvelopeCodec.encode(change.apply(EnvelopeCodec.decode(bytes))));
  }

  Envelope entryAt(String site, String cache, Bytes key) {
    return EnvelopeCodec.decode(
        Objects.requireNonNull(
            site(site)
                .entries(manager.stored(cache).orElseThrow().store(site).orElseThrow())
                .get(key)));
  }

  /** Waits until all sites have the entry, as copies are made in the background. */
  void settle(Mode mode, String cache, String key) {
    StoredDefinition stored = manager.stored(cache).orElseThrow();
    await("equal entries at all sites")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              List<Bytes> there =
                  sites.stream()
                      .map(site -> site.entries(stored.store(site.name()).orElseThrow()))
                      .map(entries -> entries.get(storedKey(mode, key)))
                      .filter(Objects::nonNull)
                      .toList();
              return there.size() == 3
                  && there.stream()
                          .map(EnvelopeCodec::decode)
                          .map(Envelope::payload)
                          .distinct()
                          .count()
                      == 1;
            });
  }

  static UnaryOperator<Envelope> holding(Envelope other) {
    return own ->
        new Envelope(
            own.stamp(), own.endMicros(), own.context(), own.state(), other.payload(), true);
  }

  static void assertRefused(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PrivateCacheException.class, refused -> assertThat(refused.reason()).isEqualTo(reason));
  }

  static void assertAllRefused(Reason reason, EnsembleCache<String, String> cache) {
    assertRefused(reason, () -> cache.get("k"));
    assertRefused(reason, () -> cache.replace("k", "v", "w"));
    assertRefused(reason, () -> cache.compute("k", (key, value) -> "w"));
    assertRefused(reason, () -> cache.putIfAbsent("k", "w"));
    assertRefused(reason, () -> cache.values().forEach(value -> {}));
  }
}
