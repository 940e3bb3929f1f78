package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeEvent;
import io.ensemble.ListenOptions;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.cache.encryption.EncryptingEngine;
import io.ensemble.cache.listen.EncodedChangeStream;
import io.ensemble.cache.listen.KeySelection;
import io.ensemble.cache.listen.ListenLimits;
import io.ensemble.cache.listen.PolledChangeStream;
import io.ensemble.cache.listen.WithdrawableRead;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.listen.ListenPosition;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/** The changes of a cache with decoded keys and values. */
final class DecodedChangeStream<K, V> implements PolledChangeStream<K, V> {

  private final EncodedChangeStream encoded;
  private final ChangeDecoder<K, V> decoder;
  private final Scheduler scheduler;

  private DecodedChangeStream(
      EncodedChangeStream encoded, ChangeDecoder<K, V> decoder, Scheduler scheduler) {
    this.encoded = encoded;
    this.decoder = decoder;
    this.scheduler = scheduler;
  }

  /**
   * A stream that is being opened.
   *
   * @param ready completes when the stream is complete; fails at the deadline of calls
   */
  record Opening<K, V>(PolledChangeStream<K, V> stream, CompletionStage<Void> ready) {}

  /** Begins to open a stream. */
  static <K, V> Opening<K, V> begin(
      CallRunner calls, EntryCodec<K, V> cells, ListenOptions<K> options) {
    Scheduler scheduler = calls.session().scheduler();
    CacheEngine engine = calls.engine();
    checkListenable(engine, calls.session().definition());
    ListenLimits standard = ListenLimits.STANDARD;
    EncodedChangeStream encoded =
        EncodedChangeStream.open(
            cells.cache(),
            calls.session().number(),
            () -> source(calls),
            selection(engine, cells, options),
            options.hasValues(),
            options.from().map(ListenPosition::parse).orElse(null),
            new ListenLimits(
                options.maxKeys(),
                standard.maxPending(),
                options.maxEvents(),
                options.maxBytes(),
                options.maxListed(),
                standard.pollInterval(),
                standard.scanInterval(),
                shorter(standard.openingPatience(), calls.longest().dividedBy(2))),
            scheduler);
    return new Opening<>(
        new DecodedChangeStream<>(encoded, decoder(engine, cells), scheduler),
        ready(encoded, calls));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static void checkListenable(CacheEngine engine, CacheDefinition definition) {
    try {
      engine.changes();
    } catch (UnsupportedOperationException refused) {
      throw new UnsupportedOperationException(
          "%s; cache=%s mode=%s"
              .formatted(refused.getMessage(), definition.name(), definition.mode()),
          refused);
    }
  }

  private static <K, V> ChangeDecoder<K, V> decoder(CacheEngine engine, EntryCodec<K, V> cells) {
    return engine instanceof EncryptingEngine encrypting
        ? new ChangeDecoder<>(
            stored -> cells.key(encrypting.openedKey(stored)),
            (stored, value) -> cells.read(encrypting.opened(encrypting.openedKey(stored), value)))
        : new ChangeDecoder<>(cells::key, (stored, value) -> cells.read(value));
  }

  private static Optional<ChangeSource> source(CallRunner calls) {
    return calls.engine().changes();
  }

  private static <K> KeySelection selection(
      CacheEngine engine, EntryCodec<K, ?> cells, ListenOptions<K> options) {
    if (options.prefix().isPresent()) {
      String prefix = options.prefix().get();
      return KeySelection.matching(prefix, stored -> hasPrefix(engine, cells, stored, prefix));
    }
    return options.keys().isEmpty()
        ? KeySelection.ALL
        : KeySelection.of(storedKeys(engine, cells, options.keys()));
  }

  /** Sites hold the keys of private caches encrypted, so each is opened here. */
  private static boolean hasPrefix(
      CacheEngine engine, EntryCodec<?, ?> cells, Bytes stored, String prefix) {
    Bytes encoded;
    try {
      encoded =
          engine instanceof EncryptingEngine encrypting ? encrypting.openedKey(stored) : stored;
    } catch (RuntimeException unreadable) {
      return true; // The reader receives a gap.
    }
    try {
      return cells.key(encoded) instanceof String key && key.startsWith(prefix);
    } catch (RuntimeException ofUnknownType) {
      return false; // A string can always be decoded.
    }
  }

  private static <K> Set<Bytes> storedKeys(
      CacheEngine engine, EntryCodec<K, ?> cells, Set<K> keys) {
    Set<Bytes> stored = new HashSet<>();
    for (K key : keys) {
      Bytes encoded = cells.key(key);
      stored.add(
          engine instanceof EncryptingEngine encrypting ? encrypting.stored(encoded) : encoded);
    }
    return stored;
  }

  /** Completes when the stream is complete; fails at the deadline. */
  private static CompletionStage<Void> ready(EncodedChangeStream encoded, CallRunner calls) {
    CompletableFuture<Void> ready = encoded.ready().toCompletableFuture();
    try {
      Scheduler.Timer late =
          calls
              .session()
              .scheduler()
              .after(
                  calls.longest().toNanos(),
                  () ->
                      ready.completeExceptionally(
                          new QuorumUnavailableException(
                              calls.session().definition().name(),
                              SiteResponses.notAsked(
                                  calls.session().definition().sites(),
                                  "too few replicas were scanned in time"))));
      ready.whenComplete((done, failure) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      ready.completeExceptionally(new IllegalStateException("the manager is stopped", ended));
    }
    return ready;
  }

  @Override
  public Optional<ChangeEvent<K, V>> next(Duration timeout) {
    return decoded(
        WithdrawableRead.result(
            () -> encoded.next(timeout), encoded::withdraw, timeout, scheduler));
  }

  @Override
  public Optional<ChangeEvent<K, V>> poll() {
    return decoded(encoded.poll());
  }

  @Override
  public void onArrival(Runnable arrival) {
    encoded.onArrival(arrival);
  }

  @Override
  public CompletionStage<Optional<ChangeEvent<K, V>>> nextAsync(Duration timeout) {
    return encoded.next(timeout).thenApply(this::decoded);
  }

  private Optional<ChangeEvent<K, V>> decoded(Optional<ChangeEvent<Bytes, Payload>> event) {
    return event.map(decoder::decoded);
  }

  @Override
  public String position() {
    return encoded.position().toText();
  }

  @Override
  public void close() {
    encoded.close();
  }
}
