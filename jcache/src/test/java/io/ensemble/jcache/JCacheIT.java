package io.ensemble.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EntryView;
import io.ensemble.Mode;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.SharedFederation;
import io.ensemble.testkit.parallel.Parallel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.expiry.AccessedExpiryPolicy;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JCache over three real sites. Two cache managers stand for two processes. */
@Timeout(120)
class JCacheIT {

  private static final MutableConfiguration<String, Integer> COUNTS =
      new MutableConfiguration<String, Integer>().setTypes(String.class, Integer.class);

  @TempDir private static Path directory;

  private static final EnsembleCachingProvider PROVIDER = new EnsembleCachingProvider();
  private static final EnsembleCachingProvider OTHER = new EnsembleCachingProvider();
  private static Path catalog;
  private static CacheManager here;
  private static CacheManager there;

  @BeforeAll
  static void connect() {
    EmbeddedFederation federation = SharedFederation.threeSites();
    catalog = directory.resolve("catalog");
    CatalogFixture.create(catalog, federation);
    here = PROVIDER.getCacheManager(catalog.toUri(), null);
    there = OTHER.getCacheManager(catalog.toUri(), null);
  }

  @AfterAll
  static void disconnect() {
    EnsembleCacheManager manager = here.unwrap(EnsembleCacheManager.class);
    manager.getCacheNames().forEach(manager::deleteCache);
    PROVIDER.close();
    OTHER.close();
  }

  @Test
  void theExampleDoesWhatItSays() throws IOException {
    List<String> lines =
        Files.readAllLines(
            Path.of("../jcache/src/test/java/io/ensemble/jcache/JCacheExample.java"));
    String example =
        String.join(
                "\n",
                lines.subList(
                    lines.indexOf("    // example:begin") + 1, lines.indexOf("    // example:end")))
            .stripIndent();

    assertThat(Files.readString(Path.of("../docs/jcache.md")))
        .contains("```java\n" + example + "\n```");
    assertThat(JCacheExample.run(catalog.toUri())).isEqualTo(97L);
    assertThat(JCacheExample.run(catalog.toUri())).isEqualTo(94L);
  }

  @Test
  void processesShareACacheAndItsAtomicOperations() {
    Cache<String, Integer> one = here.createCache("shared", COUNTS);
    Cache<String, Integer> other = there.createCache("shared", COUNTS);
    AtomicInteger added = new AtomicInteger();

    Parallel.forEach(
        List.of(one, other),
        cache -> {
          for (int i = 0; i < 20; i++) {
            added.addAndGet(cache.putIfAbsent("k" + i, 0) ? 1 : 0);
            cache.invoke("k0", (entry, none) -> increment(entry));
          }
        });

    assertThat(added).hasValue(20);
    assertThat(one.get("k0")).isEqualTo(40);
    assertThat(one.replace("k1", 0, 7)).isTrue();
    assertThat(other.replace("k1", 0, 8)).isFalse();
    assertThat(other.getAndRemove("k1")).isEqualTo(7);
    TreeMap<String, Integer> entries = new TreeMap<>();
    other.forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
    assertThat(entries).hasSize(19).containsEntry("k0", 40).doesNotContainKey("k1");
    assertThat(one.getAll(Set.of("k0", "k1", "k2"))).hasSize(2);
  }

  private static Integer increment(javax.cache.processor.MutableEntry<String, Integer> entry) {
    entry.setValue(entry.getValue() + 1);
    return entry.getValue();
  }

  @Test
  void aProcessorThatOthersAlwaysOvertakeEndsWithoutAWrite() {
    Cache<String, Integer> one = here.createCache("overtaken", COUNTS);
    Cache<String, Integer> other = there.createCache("overtaken", COUNTS);
    one.put("k", 0);
    AtomicInteger calls = new AtomicInteger();

    assertThatExceptionOfType(CacheException.class)
        .isThrownBy(
            () ->
                one.invoke(
                    "k",
                    (entry, none) -> {
                      int seen = entry.getValue();
                      other.put("k", calls.incrementAndGet());
                      entry.setValue(-1);
                      return seen;
                    }))
        .withMessageContaining("100 times");

    assertThat(calls).hasValue(EntryStore.MOST_ATTEMPTS);
    assertThat(one.get("k")).isEqualTo(EntryStore.MOST_ATTEMPTS);
  }

  @Test
  void thePolicyDecidesOnTheExpiryOfReadsAndUpdates() {
    Cache<String, Integer> created =
        here.createCache("created", expiring(CreatedExpiryPolicy.factoryOf(HOUR)));
    Cache<String, Integer> touched =
        here.createCache("touched", expiring(TouchedExpiryPolicy.factoryOf(HOUR)));
    for (Cache<String, Integer> cache : List.of(created, touched)) {
      raw(cache).put("k", 1, 10, TimeUnit.MINUTES);
      assertThat(minutesLeft(cache)).isBetween(1L, 10L);
    }

    assertThat(created.get("k")).isEqualTo(1);
    assertThat(minutesLeft(created)).isBetween(1L, 10L);
    created.put("k", 2);
    assertThat(minutesLeft(created)).isBetween(1L, 10L);
    created.remove("k");
    created.put("k", 3);
    assertThat(minutesLeft(created)).isBetween(50L, 60L);

    assertThat(touched.get("k")).isEqualTo(1);
    assertThat(minutesLeft(touched)).isBetween(50L, 60L);
    assertThat(touched.get("k")).isEqualTo(1);
  }

  private static final Duration HOUR = new Duration(TimeUnit.HOURS, 1);

  private static MutableConfiguration<String, Integer> expiring(Factory<ExpiryPolicy> policy) {
    return new MutableConfiguration<String, Integer>()
        .setTypes(String.class, Integer.class)
        .setExpiryPolicyFactory(policy);
  }

  /** The lifespan that the latest write of the key has left, rounded up. */
  private static long minutesLeft(Cache<?, ?> cache) {
    Instant end =
        here.unwrap(EnsembleCacheManager.class).explain(cache.getName(), "k").stream()
            .flatMap(site -> site.entry().stream())
            .max(Comparator.comparing(EntryView::stamp))
            .flatMap(EntryView::end)
            .orElseThrow();
    return java.time.Duration.between(Instant.now(), end).toMinutes() + 1;
  }

  @SuppressWarnings("unchecked")
  private static EnsembleCache<Object, Object> raw(Cache<?, ?> cache) {
    return cache.unwrap(EnsembleCache.class);
  }

  @Test
  void theModeOfAnExistingCacheMustBeRequested() {
    there
        .unwrap(EnsembleCacheManager.class)
        .createCache(CacheDefinition.of("weak", Mode.WEAK).sites("lyon", "oslo").build());

    assertThatExceptionOfType(CacheException.class)
        .isThrownBy(() -> here.createCache("weak", COUNTS))
        .withMessageContaining("exists in mode WEAK")
        .withMessageContaining("EnsembleConfiguration");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(
            () ->
                here.createCache(
                    "weak",
                    new EnsembleConfiguration<String, Integer>(Mode.WEAK)
                        .setExpiryPolicyFactory(AccessedExpiryPolicy.factoryOf(Duration.ONE_DAY))))
        .withMessageContaining("WEAK");

    Cache<String, Integer> weak =
        here.createCache("weak", new EnsembleConfiguration<String, Integer>(Mode.WEAK));
    weak.put("k", 1);
    assertThat(weak.get("k")).isEqualTo(1);
    assertThat(raw(weak).definition().sites()).containsExactly("lyon", "oslo");
  }

  @Test
  void listenersAreRejectedUntilTheirLimitIsAccepted() {
    CacheEntryListenerConfiguration<String, Integer> created =
        listening((CacheEntryCreatedListener<String, Integer>) JCacheIT::collect);
    CacheEntryListenerConfiguration<String, Integer> expired =
        listening((CacheEntryExpiredListener<String, Integer>) JCacheIT::collect);
    Cache<String, Integer> cache = here.createCache("unheard", COUNTS);

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.registerCacheEntryListener(created))
        .withMessageContaining("setLocalListeners");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(
            () ->
                here.createCache(
                    "unheard2",
                    new MutableConfiguration<>(COUNTS)
                        .addCacheEntryListenerConfiguration(created)));

    Cache<String, Integer> heard =
        here.createCache(
            "heard", new EnsembleConfiguration<String, Integer>(Mode.MWMR).setLocalListeners(true));
    heard.registerCacheEntryListener(created);
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> heard.registerCacheEntryListener(expired))
        .withMessageContaining("expired");
    there
        .<String, Integer, MutableConfiguration<String, Integer>>createCache("heard", COUNTS)
        .put("elsewhere", 1);
    heard.put("here", 1);
    assertThat(HEARD).containsExactly("here");
  }

  private static final List<String> HEARD = new ArrayList<>();

  private static void collect(
      Iterable<javax.cache.event.CacheEntryEvent<? extends String, ? extends Integer>> events) {
    events.forEach(event -> HEARD.add(event.getKey()));
  }

  private static CacheEntryListenerConfiguration<String, Integer> listening(
      javax.cache.event.CacheEntryListener<String, Integer> listener) {
    return new MutableCacheEntryListenerConfiguration<>(() -> listener, null, false, true);
  }

  @Test
  void aCacheKeepsItsEntriesUntilItIsDestroyed() {
    here.createCache("kept", COUNTS).put("k", 1);
    here.getCache("kept").close();
    assertThat(here.<String, Integer>getCache("kept")).isNull();

    Cache<String, Integer> again = here.createCache("kept", COUNTS);
    assertThat(again.get("k")).isEqualTo(1);
    there.destroyCache("kept");
    assertThatIllegalStateException().isThrownBy(() -> again.get("k"));
    here.destroyCache("kept");
    assertThat(here.createCache("kept", COUNTS).get("k")).isNull();
  }

  @Test
  void aTypeWithoutSchemaIsRejected() {
    Cache<String, Object> cache =
        here.createCache(
            "untyped",
            new MutableConfiguration<String, Object>().setTypes(String.class, Object.class));

    assertThatExceptionOfType(CacheException.class)
        .isThrownBy(() -> cache.put("k", new StringBuilder("no schema")))
        .withMessageContaining("ProtoStream schema");
  }
}
