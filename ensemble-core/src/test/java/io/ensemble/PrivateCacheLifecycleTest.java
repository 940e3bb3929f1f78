package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.codec.Codec;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.Envelope;
import io.ensemble.stamp.Stamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How private caches are opened, moved and re-encrypted. */
@Execution(ExecutionMode.CONCURRENT)
class PrivateCacheLifecycleTest extends PrivateFixture {

  @Test
  void keysetAndPrivacyGoTogether() {
    created("c", Mode.MWMR);
    EnsembleCacheManager without = manager();
    without.createCache(definition("d", Mode.MWMR, Privacy.NONE));

    assertRefused(Reason.NO_KEYSET, () -> without.getCache("c"));
    assertRefused(Reason.NOT_PRIVATE, () -> manager.getCache("d"));
  }

  @Test
  void aCacheThatCouldNotBeUsedIsNotCreated() {
    EnsembleCacheManager without = manager();

    assertRefused(
        Reason.NOT_PRIVATE, () -> manager.createCache(definition("d", Mode.MWMR, Privacy.NONE)));
    assertRefused(
        Reason.NO_KEYSET, () -> without.createCache(definition("e", Mode.MWMR, Privacy.VALUES)));

    assertThat(manager.getCacheNames()).isEmpty();
  }

  /** Otherwise a manipulated catalog could make users store keys in clear. */
  @Test
  void aKeysetTellsWhetherKeysArePrivate() {
    assertRefused(
        Reason.NAMES_KEY, () -> manager.createCache(definition("n", Mode.MWMR, Privacy.VALUES)));
    assertRefused(
        Reason.NO_NAMES_KEY,
        () -> manager.createCache(definition("c", Mode.MWMR, Privacy.VALUES_AND_KEYS)));

    EnsembleCacheManager other = manager();
    other.createCache(definition("c", Mode.MWMR, Privacy.NONE));
    assertRefused(Reason.NOT_PRIVATE, () -> manager.getCache("c"));
    EnsembleCacheManager without = managerWith("n", keyset);
    without.createCache(definition("n", Mode.MWMR, Privacy.VALUES));
    assertRefused(Reason.NAMES_KEY, () -> manager.getCache("n"));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aValueHasSoManyBytesMore(Mode mode) {
    EnsembleCache<String, byte[]> cache =
        manager.createCache(definition("c", mode, Privacy.VALUES));

    cache.put("k", new byte[1000]);

    settle(mode, "c", "k");
    assertThat(Objects.requireNonNull(stored(mode, "c", "k").payload()).size())
        .isEqualTo(1 + 1000 + EncryptedPayload.ADDED_BYTES);
    assertThat(EncryptedPayload.ADDED_BYTES).isEqualTo(58);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aFormerKeyReadsUntilItIsRetired(Mode mode) {
    created("c", mode).put("k", "v");
    settle(mode, "c", "k");
    int former = keyset.keyset().primaryId();
    keyset.rotate();
    manager.stopCache("c");
    EnsembleCache<String, String> cache = Objects.requireNonNull(manager.getCache("c"));

    assertThat(cache.get("k")).isEqualTo("v");
    cache.put("l", "w");
    settle(mode, "c", "l");
    assertThat(keyOf(mode, "k")).isEqualTo(former);
    assertThat(keyOf(mode, "l")).isEqualTo(keyset.keyset().primaryId()).isNotEqualTo(former);

    keyset.retireFirst();
    manager.stopCache("c");
    EnsembleCache<String, String> later = Objects.requireNonNull(manager.getCache("c"));
    assertThat(later.get("l")).isEqualTo("w");
    assertThatThrownBy(() -> later.get("k"))
        .isInstanceOfSatisfying(
            PrivateCacheException.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(Reason.NO_SUCH_KEY);
              assertThat(refused.keyId()).hasValue(former);
              assertThat(refused).hasMessageContaining(Integer.toUnsignedString(former));
            });
  }

  /** Otherwise entries under a lost key could never be removed. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void whatCannotBeReadIsCountedAndCleared(Mode mode) {
    created("c", mode).put("k", "v");
    settle(mode, "c", "k");
    keyset.rotate();
    keyset.retireFirst();
    manager.stopCache("c");
    EnsembleCache<String, String> cache = Objects.requireNonNull(manager.getCache("c"));
    cache.put("l", "w");

    assertThat(cache.size()).isEqualTo(2);
    cache.clear();

    assertThat(cache.size()).isZero();
    assertThat(cache.get("k")).isNull();
  }

  private int keyOf(Mode mode, String key) {
    return EncryptedPayload.of(Objects.requireNonNull(stored(mode, "c", key).payload())).keyId();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aPassBringsAllUnderThePresentKey(Mode mode) {
    EnsembleCache<String, String> before = created("c", mode);
    for (int i = 0; i < 100; i++) {
      before.put("k" + i, "v" + i);
    }
    settle(mode, "c", "k7");
    Stamp written = stored(mode, "c", "k7").stamp();
    keyset.rotate();
    manager.stopCache("c");
    List<Long> met = new ArrayList<>();

    Reencryption first = manager.reencrypt("c", 0, report -> met.add(report.keys()));
    Reencryption second = manager.reencrypt("c", 0, report -> {});

    String present = Integer.toUnsignedString(keyset.keyset().primaryId());
    assertThat(first)
        .isEqualTo(new Reencryption(100, 100, 0, 0, new TreeMap<>(Map.of(present, 100L))));
    assertThat(second.reencrypted()).isZero();
    assertThat(met).isSorted().hasSizeGreaterThan(1).endsWith(100L);
    keyset.retireFirst();
    manager.stopCache("c");
    EnsembleCache<String, String> cache = Objects.requireNonNull(manager.getCache("c"));
    for (int i = 0; i < 100; i++) {
      assertThat(cache.get("k" + i)).isEqualTo("v" + i);
    }
    if (mode == Mode.WEAK) { // Any later write wins over the re-encrypted value.
      settle(mode, "c", "k7");
      assertThat(stored(mode, "c", "k7").stamp()).isEqualTo(written.rightAfter());
      assertThat(written.rightAfter().micros()).isEqualTo(written.micros());
    }
  }

  /** In SWMR a re-encryption is a writer, so the process that writes has to run it. */
  @Test
  @Timeout(60)
  @Execution(ExecutionMode.CONCURRENT)
  void aPassBesideAnotherWriterEnds() {
    EnsembleCache<String, String> cache = created("c", Mode.SWMR);
    keyset.rotate();
    cache.put("k", "v"); // Under the former key, with which this cache is open.
    EnsembleCacheManager other = manager("c");

    assertThatThrownBy(() -> other.reencrypt("c", 0, report -> {}))
        .isInstanceOf(WriterPresentException.class);

    assertThat(cache.get("k")).isEqualTo("v");
    manager.stopCache("c");
    assertThat(manager.reencrypt("c", 0, report -> {}).reencrypted()).isEqualTo(1);
  }

  @Test
  @Timeout(60)
  void aPassTellsWhatItCannotRead() {
    EnsembleCache<String, String> cache = created("c", Mode.MWMR);
    cache.put("k", "v");
    cache.put("l", "w");
    int former = keyset.keyset().primaryId();
    change(
        Mode.MWMR,
        "c",
        "l",
        own ->
            new Envelope(
                own.stamp(), 0, null, own.state(), new Codec(List.of()).encode("v"), false));
    keyset.rotate();
    keyset.retireFirst();
    manager.stopCache("c");

    Reencryption told = manager.reencrypt("c", 0, report -> {});

    assertThat(told)
        .isEqualTo(
            new Reencryption(
                2, 0, 0, 2, new TreeMap<>(Map.of(Integer.toUnsignedString(former), 1L))));
  }

  /** The id of a key is stored in clear, so the operator of a site can put it before any bytes. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aPassTellsWhatOnlySaysItIsUnderThePresentKey(Mode mode) {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v");
    cache.put("l", "w");
    settle(mode, "c", "l");

    change(mode, "c", "k", holding(stored(mode, "c", "l")));

    assertThat(manager.reencrypt("c", 0, report -> {}).unreadable()).isEqualTo(1);
  }

  @Test
  void aPassKeepsToItsPace() {
    EnsembleCache<String, String> cache = created("c", Mode.MWMR);
    for (int i = 0; i < 5; i++) {
      cache.put("k" + i, "v");
    }
    long begin = System.nanoTime();

    manager.reencrypt("c", 10, report -> {});

    assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofMillis(450).toNanos());
  }

  /** A process may be refused until it has read the changed record; a retry is then safe. */
  private static boolean follows(EnsembleCache<String, String> cache) {
    try {
      return cache.get("k") != null;
    } catch (QuorumUnavailableException notYet) {
      return false;
    }
  }

  @Test
  @Timeout(120)
  void whoMovesAndRecoversNeedsNoKey() {
    EnsembleCache<String, String> cache = created("c", Mode.MWMR);
    cache.put("k", "v");
    EnsembleCacheManager without = manager();

    sites.get(1).lose(manager.stored("c").orElseThrow().store("b").orElseThrow());
    assertThat(without.recoverSite("c", "b")).isEqualTo(1);
    for (Mode mode : List.of(Mode.WEAK, Mode.SWMR, Mode.MWMR, Mode.SWMR, Mode.WEAK, Mode.MWMR)) {
      without.alter(definition("c", mode, Privacy.VALUES)).done().toCompletableFuture().join();
      await("the cache follows the change")
          .pollInterval(Duration.ofMillis(20))
          .atMost(Duration.ofMinutes(2))
          .until(() -> follows(cache));
      assertThat(cache.get("k")).as("in %s", mode).isEqualTo("v");
    }
    assertThat(cache.replace("k", "v", "w")).isTrue();
    assertRefused(Reason.NO_KEYSET, () -> without.getCache("c"));
  }

  /** Otherwise the entry could claim to be later than values that were written since. */
  @Test
  @Timeout(60)
  void aValueKeepsItsStampOnTheWayToWeak() {
    EnsembleCache<String, String> cache = created("c", Mode.MWMR);
    cache.put("k", "v");

    manager.alter(definition("c", Mode.WEAK, Privacy.VALUES)).done().toCompletableFuture().join();
    settle(Mode.WEAK, "c", "k");

    Envelope entry = stored(Mode.WEAK, "c", "k");
    assertThat(entry.stamp())
        .isEqualTo(EncryptedPayload.of(Objects.requireNonNull(entry.payload())).stamp());
    await("the cache follows the change")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofMinutes(2))
        .until(() -> follows(cache));
    cache.put("k", "w");
    assertThat(cache.get("k")).isEqualTo("w");
  }

  @Test
  void aCacheStaysAsPrivateAsItIs() {
    created("c", Mode.MWMR);

    assertThatThrownBy(() -> manager.alter(definition("c", Mode.MWMR, Privacy.NONE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("privacy");
  }

  @Test
  void aPrivateCacheIsNoPart() {
    created("c", Mode.MWMR);
    manager.createCache(definition("p", Mode.MWMR, Privacy.NONE));

    assertThatThrownBy(() -> manager.createDistributed(DistributedDefinition.of("x", "p", "c")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("part=c");
    assertThat(manager.distribution("x")).isEmpty();
  }

  /** Otherwise a manipulated catalog could make its users write in clear. */
  @Test
  void aDistributedCacheUnderAKeysetIsRefused() {
    EnsembleCacheManager without = manager();
    without.createCache(definition("p", Mode.MWMR, Privacy.NONE));
    without.createDistributed(DistributedDefinition.of("c", "p"));

    assertRefused(Reason.NOT_PRIVATE, () -> manager.getCache("c"));
    assertRefused(
        Reason.NOT_PRIVATE, () -> manager.createDistributed(DistributedDefinition.of("d", "p")));

    assertThat(manager.distribution("d")).isEmpty();
  }
}
