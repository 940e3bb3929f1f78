package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.codec.Codec;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.Envelope;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Manipulations by the operator of all sites of a private cache are detected. */
class PrivateCacheTest extends PrivateFixture {

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aValueOfAnotherKeyIsRefused(Mode mode) throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v");
    cache.put("l", "w");
    settle(mode, "c", "l");

    change(mode, "c", "k", holding(stored(mode, "c", "l")));

    assertAllRefused(Reason.NOT_AUTHENTIC, cache);
    assertThat(cache.get("l")).isEqualTo("w");
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aValueOfAnotherCacheIsRefused(Mode mode) throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v");
    created("d", mode).put("k", "w");
    settle(mode, "d", "k");

    change(mode, "c", "k", holding(stored(mode, "d", "k")));

    assertAllRefused(Reason.NOT_AUTHENTIC, cache);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aValueOfADeletedCacheOfThatNameIsRefused(Mode mode) throws InterruptedException {
    created("c", mode).put("k", "v");
    settle(mode, "c", "k");
    Envelope former = stored(mode, "c", "k");
    manager.deleteCache("c");
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "w");

    change(mode, "c", "k", own -> at(new Stamp(2, own.stamp().writer()), holding(former), own));

    assertAllRefused(Reason.NOT_AUTHENTIC, cache);
  }

  /** Applies {@code then}; in WEAK, where the stamp decides, the result also gets {@code stamp}. */
  private static Envelope at(Stamp stamp, UnaryOperator<Envelope> then, Envelope own) {
    Envelope held = then.apply(own);
    return own.state() != null
        ? held
        : new Envelope(stamp, held.endMicros(), null, null, held.payload(), true);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aFormerValueWithTheStampOfALaterOneIsRefused(Mode mode) throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v");
    settle(mode, "c", "k");
    Bytes former = Objects.requireNonNull(stored(mode, "c", "k").payload());
    cache.put("k", "w");

    change(
        mode,
        "c",
        "k",
        own -> {
          Stamp later = EncryptedPayload.of(Objects.requireNonNull(own.payload())).stamp();
          Bytes forged =
              EncryptedPayload.payload(later, EncryptedPayload.of(former).ciphertext().array());
          return holding(new Envelope(own.stamp(), 0, null, null, forged, true)).apply(own);
        });

    assertAllRefused(Reason.NOT_AUTHENTIC, cache);
  }

  /** In WEAK the stamp decides which entry wins, yet a forged stamp brings no old value back. */
  @Test
  @Timeout(60)
  void aFormerValueUnderALaterStampIsNoEntryInWeak() throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", Mode.WEAK);
    cache.put("k", "v");
    settle(Mode.WEAK, "c", "k");
    Envelope former = stored(Mode.WEAK, "c", "k");
    cache.put("k", "w");
    settle(Mode.WEAK, "c", "k");

    UnaryOperator<Envelope> later =
        own ->
            new Envelope(
                new Stamp(own.stamp().micros() + 1_000_000, own.stamp().writer()),
                0,
                null,
                null,
                former.payload(),
                true);
    for (String site : List.of("a", "b")) {
      forgeAt(site, "c", storedKey(Mode.WEAK, "k"), later);
    }

    assertThat(cache.get("k")).isEqualTo("w"); // From "c", the only site with a valid entry.
    forgeAt("c", "c", storedKey(Mode.WEAK, "k"), later);
    assertThatThrownBy(() -> cache.get("k")).isInstanceOf(QuorumUnavailableException.class);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void aLongerLifeIsRefused(Mode mode) throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v", 1, TimeUnit.HOURS);

    change(
        mode,
        "c",
        "k",
        own ->
            new Envelope(
                own.stamp(), own.endMicros() + 1, own.context(), own.state(), own.payload(), true));

    assertAllRefused(Reason.NOT_AUTHENTIC, cache);
  }

  @ParameterizedTest
  @EnumSource(value = Mode.class, mode = EnumSource.Mode.EXCLUDE, names = "WEAK")
  @Timeout(60)
  void aBadEntryIsOverwritten(Mode mode) throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v");
    cache.put("l", "v");
    settle(mode, "c", "l");
    Bytes good = Objects.requireNonNull(stored(mode, "c", "k").payload());
    Stamp never = new Stamp(Long.MAX_VALUE, new WriterId(1, 1));

    change(mode, "c", "k", own -> withPayload(own, Bytes.of(new byte[100])));
    change(
        mode,
        "c",
        "l",
        own ->
            withPayload(
                own,
                EncryptedPayload.payload(never, EncryptedPayload.of(good).ciphertext().array())));
    cache.put("k", "w");
    cache.put("l", "w");
    cache.put("m", "w");

    assertThat(List.of(cache.get("k"), cache.get("l"), cache.get("m"))).containsOnly("w");
  }

  private static Envelope withPayload(Envelope own, Bytes payload) {
    return new Envelope(own.stamp(), own.endMicros(), own.context(), own.state(), payload, true);
  }

  /** In WEAK the stamp decides which entry wins, yet an unencrypted entry never wins. */
  @Test
  @Timeout(60)
  void whatIsNotEncryptedNeitherWinsNorSpreadsInWeak() throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", Mode.WEAK);
    cache.put("k", "v");
    settle(Mode.WEAK, "c", "k");

    forgeAt("a", "c", storedKey(Mode.WEAK, "k"), this::inClear);
    sites.get(1).lose(manager.stored("c").orElseThrow().store("b").orElseThrow());
    manager.recoverSite("c", "b");

    assertThat(cache.get("k")).isEqualTo("v");
    assertThat(entryAt("b", "c", storedKey(Mode.WEAK, "k")).encrypted()).isTrue();
    cache.put("k", "w");
    settle(Mode.WEAK, "c", "k");
    assertThat(cache.get("k")).isEqualTo("w");
  }

  private Envelope inClear(Envelope own) {
    Stamp later = new Stamp(own.stamp().micros() + 1_000_000, own.stamp().writer());
    return new Envelope(later, 0, null, null, new Codec(List.of()).encode("forged"), false);
  }

  /** An unencrypted value beside encrypted ones does not keep sites from becoming equal. */
  @Test
  @Timeout(60)
  void whatIsNotEncryptedIsNoSibling() throws InterruptedException {
    EnsembleCache<String, String> cache =
        manager.createCache(
            CacheDefinition.of("c", Mode.WEAK)
                .sites("a", "b", "c")
                .siblings(4)
                .privacy(Privacy.VALUES)
                .build());
    cache.put("k", "v");
    settle(Mode.WEAK, "c", "k");

    forgeAt("a", "c", storedKey(Mode.WEAK, "k"), this::inClear);
    sites.get(1).lose(manager.stored("c").orElseThrow().store("b").orElseThrow());

    assertThat(manager.recoverSite("c", "b")).isPositive();
    assertThat(cache.get("k")).isEqualTo("v");
    assertThat(entryAt("b", "c", storedKey(Mode.WEAK, "k")).encrypted()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(value = Mode.class, mode = EnumSource.Mode.EXCLUDE, names = "WEAK")
  @Timeout(60)
  void whatIsNotEncryptedIsRefused(Mode mode) throws InterruptedException {
    EnsembleCache<String, String> cache = created("c", mode);
    cache.put("k", "v");

    change(
        mode,
        "c",
        "k",
        own ->
            new Envelope(
                own.stamp(), 0, null, own.state(), new Codec(List.of()).encode("v"), false));

    assertAllRefused(Reason.PLAINTEXT, cache);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Timeout(60)
  void whatIsEncryptedIsRefusedInAPublicCache(Mode mode) throws InterruptedException {
    created("c", mode).put("k", "v");
    settle(mode, "c", "k");
    EnsembleCache<String, String> open = manager.createCache(definition("p", mode, Privacy.NONE));
    open.put("k", "w");

    Envelope secret = stored(mode, "c", "k");
    change(mode, "p", "k", own -> at(new Stamp(2, own.stamp().writer()), holding(secret), own));

    assertRefused(Reason.ENCRYPTED, () -> open.get("k"));
  }
}
