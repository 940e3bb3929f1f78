package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.site.Bytes;
import io.ensemble.site.MapSite;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Re-encryption beside other writes, and over sites that differ. */
class ReencryptionRaceTest extends PrivateFixture {

  private static final int KEYS = 8;
  private static final int ROUNDS = 25;

  private EnsembleCache<String, Integer> counters() {
    return Objects.requireNonNull(manager.getCache("c"));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(120)
  void nothingIsLostBesideAPass(Mode mode) {
    manager.createCache(definition("c", mode, Privacy.VALUES));
    for (int i = 0; i < KEYS; i++) {
      counters().put("k" + i, 0);
    }
    keyset.rotate();
    manager.stopCache("c");
    EnsembleCache<String, Integer> cache = counters();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < KEYS * ROUNDS; i++) {
                cache.compute("k" + i % KEYS, (key, count) -> Objects.requireNonNull(count) + 1);
              }
            });

    long passes = 0;
    do {
      manager.reencrypt("c", 0, report -> {});
      passes++;
    } while (!writer.isDone());
    writer.join();

    assertThat(passes).isPositive();
    assertThat(manager.reencrypt("c", 0, report -> {}).left()).isZero();
    keyset.retireFirst();
    manager.stopCache("c");
    for (int i = 0; i < KEYS; i++) {
      assertThat(counters().get("k" + i)).isEqualTo(ROUNDS);
    }
  }

  /** The site that is read has an older value, which a re-encryption must not bring back. */
  @Test
  @Timeout(60)
  void aPassOverAnOldValueLeavesTheLaterOne() throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", Mode.WEAK);
    Bytes key = storedKey(Mode.WEAK, "k");
    cache.put("k", "v");
    settle(Mode.WEAK, "c", "k");
    Envelope former = stored(Mode.WEAK, "c", "k");
    cache.put("k", "w");
    settle(Mode.WEAK, "c", "k");
    Envelope later = stored(Mode.WEAK, "c", "k");
    forgeAt("a", "c", key, own -> former);
    keyset.rotate();
    manager.stopCache("c");

    assertThat(manager.reencrypt("c", 0, report -> {}).reencrypted()).isEqualTo(1);

    manager.stop(); // Waits for its copies to other sites.
    EnsembleCacheManager next = manager("c");
    StoredDefinition stored = next.stored("c").orElseThrow();
    for (MapSite site : sites.subList(1, 3)) {
      Bytes there = site.entries(stored.store(site.name()).orElseThrow()).get(key);
      assertThat(EnvelopeCodec.decode(Objects.requireNonNull(there))).isEqualTo(later);
    }
  }

  /** An older value at another site does not stay under the former key. */
  @Test
  @Timeout(60)
  void aPassGoesToSitesThatHaveAnOlderValue() throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", Mode.WEAK);
    cache.put("k", "v");
    settle(Mode.WEAK, "c", "k");
    Envelope former = stored(Mode.WEAK, "c", "k");
    cache.put("k", "w");
    settle(Mode.WEAK, "c", "k");
    forgeAt("b", "c", storedKey(Mode.WEAK, "k"), own -> former);
    keyset.rotate();
    manager.stopCache("c");

    manager.reencrypt("c", 0, report -> {});

    settle(Mode.WEAK, "c", "k");
    Bytes payload = Objects.requireNonNull(stored(Mode.WEAK, "c", "k").payload());
    assertThat(EncryptedPayload.of(payload).keyId()).isEqualTo(keyset.keyset().primaryId());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void valuesUnderEachOthersNamesAreRefused(Mode mode) {
    EnsembleCache<String, String> cache =
        manager.createCache(definition("n", mode, Privacy.VALUES_AND_KEYS));
    cache.put("k", "v");
    cache.put("l", "w");
    manager.stop(); // Waits for its copies to other sites.
    EnsembleCacheManager next = manager("n");
    StoredDefinition stored = next.stored("n").orElseThrow();

    for (MapSite site : sites) {
      String store = stored.store(site.name()).orElseThrow();
      List<Bytes> names = new ArrayList<>(site.entries(store).keySet());
      names.removeIf(name -> name.size() < 5); // Excludes the reserved keys of protocols.
      assertThat(names).as(site.name()).hasSize(2);
      Envelope first = EnvelopeCodec.decode(site.entries(store).get(names.get(0)));
      Envelope second = EnvelopeCodec.decode(site.entries(store).get(names.get(1)));
      site.change(store, names.get(0), bytes -> EnvelopeCodec.encode(second));
      site.change(store, names.get(1), bytes -> EnvelopeCodec.encode(first));
    }

    EnsembleCache<String, String> swapped = Objects.requireNonNull(next.getCache("n"));
    assertRefused(Reason.NOT_AUTHENTIC, () -> swapped.get("k"));
    assertRefused(Reason.NOT_AUTHENTIC, () -> swapped.get("l"));
    assertRefused(Reason.NOT_AUTHENTIC, () -> swapped.keySet().forEach(name -> {}));
  }
}
