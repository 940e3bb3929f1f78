package io.ensemble.cache.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.PrivateCacheException;
import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.cache.Payload;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Ciphertext is bound to its cache, birth and key; a walk that meets any other one fails. */
class CacheCipherTest {

  private static final Bytes KEY = bytes("k");
  private static final Stamp STAMP = new Stamp(7, new WriterId(1, 2));

  private final TestKeyset keyset = new TestKeyset(true);

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private CacheCipher seal(String cache, String birth) {
    return new CacheCipher(cache, birth, true, keyset.keyset());
  }

  private static Payload written(CacheCipher seal) {
    return seal.close(KEY, new Payload(bytes("v"), 0)).at(STAMP);
  }

  private static void refuses(Reason why, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PrivateCacheException.class, e -> assertThat(e.reason()).isEqualTo(why));
  }

  /** Copies of one catalog can give two caches the same birth, so the name counts too. */
  @Test
  void aValueAndANameAreOfOneCacheAndOneCreationOfIt() {
    CacheCipher seal = seal("c", "one");
    Payload value = written(seal);
    Bytes name = seal.stored(KEY);

    assertThat(seal.open(KEY, value).value()).isEqualTo(bytes("v"));
    assertThat(seal.key(name)).isEqualTo(KEY);
    for (CacheCipher other :
        new CacheCipher[] {seal("d", "one"), seal("c", "two"), seal("co", "ne")}) {
      refuses(Reason.NOT_AUTHENTIC, () -> other.open(KEY, value));
      refuses(Reason.NOT_AUTHENTIC, () -> other.key(name));
      assertThat(other.stored(KEY)).isNotEqualTo(name);
    }
  }

  @Test
  void aKeyInTheClearIsNoName() {
    CacheCipher seal = seal("c", "one");

    refuses(Reason.PLAINTEXT, () -> seal.key(KEY));
    refuses(Reason.PLAINTEXT, () -> seal.key(bytes("")));
  }

  /** Otherwise entries that the walk left out would go unnoticed. */
  @Test
  void aWalkThatMetWhatItCannotReadFailsForGood() {
    CacheCipher seal = seal("c", "one");
    Entry good = new Entry(seal.stored(KEY), written(seal));
    Entry bad = new Entry(seal.stored(bytes("other")), written(seal));
    Deque<List<Entry>> batches = new ArrayDeque<>(List.of(List.of(good), List.of(bad)));
    EntryScan inner =
        new EntryScan() {
          @Override
          public CompletionStage<List<Entry>> next(Deadline deadline) {
            return CompletableFuture.completedFuture(
                batches.isEmpty() ? List.of() : batches.remove());
          }

          @Override
          public void close() {}
        };
    DecryptingScan walk = new DecryptingScan(seal, inner);
    Deadline deadline = new Deadline(0);

    assertThat(walk.next(deadline)).isCompletedWithValueMatching(met -> met.size() == 1);
    for (int i = 0; i < 2; i++) {
      assertThat(walk.next(deadline).toCompletableFuture())
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withRootCauseInstanceOf(PrivateCacheException.class);
    }
  }
}
