package io.ensemble.cache.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.QuorumFailure;
import io.ensemble.Reencryption;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.encryption.Reencryptor.PassOptions;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.sibling.Actor;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.Sibling;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The report of a re-encryption, by which an operator decides whether to retire a key. */
class ReencryptorTest {

  private static final Bytes KEY = bytes("k");
  private static final WriterId WRITER = new WriterId(1, 2);
  private static final QuorumFailure MISSING = new QuorumFailure(2, 3, Set.of(), Map.of());

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final TestKeyset keyset = new TestKeyset();
  private final int former = keyset.keyset().primaryId();

  @AfterEach
  void close() {
    scheduler.close();
  }

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private CacheCipher seal() {
    return new CacheCipher("c", "birth", false, keyset.keyset());
  }

  private Payload written(Bytes key, Stamp stamp, long endMicros) {
    return seal().close(key, new Payload(bytes("v"), endMicros)).at(stamp);
  }

  private Reencryption passOver(CacheEngine engine, boolean siblings) {
    PassOptions course = new PassOptions(siblings, 0, scheduler, () -> 1_000);
    try (Reencryptor pass = new Reencryptor(engine, seal(), course)) {
      while (pass.step(new Deadline(Long.MAX_VALUE)).toCompletableFuture().join()) {
        continue;
      }
      return pass.report();
    }
  }

  @Test
  void aWriteThatWasRefusedOrPerhapsDoneIsLeftUnderTheFormerKey() {
    Siblings<Payload> found = of(alive(1, 0));
    keyset.rotate();

    for (WriteOutcome<Object> end :
        List.<WriteOutcome<Object>>of(
            new WriteOutcome.Refused<>(MISSING), new WriteOutcome.Unknown<>(MISSING))) {
      for (boolean siblings : new boolean[] {false, true}) {
        assertThat(passOver(new Holding(found, end), siblings))
            .isEqualTo(
                new Reencryption(
                    1, 0, 1, 0, new TreeMap<>(Map.of(Integer.toUnsignedString(former), 1L))));
      }
    }
  }

  /** An expired sibling is never read again, so it prevents neither reads nor re-encryption. */
  @Test
  void aSiblingThatHasExpiredNeedNotBeReadable() {
    Sibling<Payload> expired =
        new Sibling<>(
            new Actor(2, 2), new Stamp(2, WRITER), written(bytes("x"), Stamp.NONE, 1_000));
    Siblings<Payload> found = of(alive(1, 1_001), expired);
    keyset.rotate();
    Holding holding = new Holding(found, null);

    Siblings<Payload> seen =
        new EncryptingEngine(holding, this::seal, () -> 1_000)
            .siblings(KEY, new Deadline(Long.MAX_VALUE))
            .toCompletableFuture()
            .join();

    assertThat(seen.values()).extracting(Payload::value).containsExactly(bytes("v"));
    assertThat(passOver(holding, true))
        .isEqualTo(
            new Reencryption(
                1,
                1,
                0,
                0,
                new TreeMap<>(Map.of(Integer.toUnsignedString(keyset.keyset().primaryId()), 1L))));
  }

  private Sibling<Payload> alive(long micros, long endMicros) {
    Stamp stamp = new Stamp(micros, WRITER);
    return new Sibling<>(new Actor(micros, micros), stamp, written(KEY, stamp, endMicros));
  }

  @SafeVarargs
  private static Siblings<Payload> of(Sibling<Payload>... all) {
    TreeMap<Actor, Long> latest = new TreeMap<>();
    List.of(all).forEach(one -> latest.put(one.actor(), one.stamp().micros()));
    return new Siblings<>(
        new Stamp(all.length, WRITER), new ActorVersionVector(latest), List.of(all));
  }

  /** Holds one key; each operation ends with {@code end}, or is applied if that is null. */
  private record Holding(Siblings<Payload> found, @Nullable WriteOutcome<Object> end)
      implements CacheEngine {

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(
        Bytes key, @Nullable Payload value, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      return ended(update.decide(found.values().get(0)).result());
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> amend(
        Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
      return ended(siblingUpdate.decide(found).result());
    }

    @SuppressWarnings("unchecked") // Only Applied has a result.
    private <R> CompletionStage<WriteOutcome<R>> ended(@Nullable R result) {
      return CompletableFuture.completedFuture(
          end == null
              ? new WriteOutcome.Applied<>(result, Stamp.NONE, true)
              : (WriteOutcome<R>) end);
    }

    @Override
    public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
      return CompletableFuture.completedFuture(found);
    }

    @Override
    public EntryScan scan(int batchSize) {
      return new EntryScan() {
        private boolean over;

        @Override
        public CompletionStage<List<Entry>> next(Deadline deadline) {
          List<Entry> met =
              over ? List.of() : List.of(new Entry(KEY, found.alive().get(0).value()));
          over = true;
          return CompletableFuture.completedFuture(met);
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }
}
