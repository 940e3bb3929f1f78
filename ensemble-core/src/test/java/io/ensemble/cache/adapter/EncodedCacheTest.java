package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.cache.Payload;
import io.ensemble.cache.adapter.EncodedCache.EncodedEntry;
import io.ensemble.cache.adapter.EncodedCache.EncodedScan;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.repartition.GenerationMark;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The encoded entries of a cache are those of its other views. */
class EncodedCacheTest extends CacheAdapterFixture {

  private final EncodedCache encoded = faces.encoded();

  @Test
  void entriesHaveTheirBytesAndTheirExpiry() throws Exception {
    cache.put("k", new byte[] {7});
    cache.put("l", "v", 5, TimeUnit.SECONDS);

    assertThat(scanned())
        .containsExactlyInAnyOrder(
            new EncodedEntry(Bytes.of((byte) 2, (byte) 'k'), Bytes.of((byte) 1, (byte) 7), 0),
            new EncodedEntry(
                Bytes.of((byte) 2, (byte) 'l'), Bytes.of((byte) 2, (byte) 'v'), 6_000_000));
  }

  @Test
  void anExpiredEntryAndAGenerationEntryAreNotReturned() throws Exception {
    cache.put("k", "v", 1, TimeUnit.SECONDS);
    Payload mark = GenerationEntries.payload(GenerationMark.NONE);
    await(
        engine.write(
            GenerationEntries.key("0123456789abcdef"),
            mark,
            Deadline.after(Duration.ofSeconds(3), scheduler)));
    micros.addAndGet(1_000_000);

    assertThat(scanned()).isEmpty();
  }

  @Test
  void aWrittenEntryIsThatOfTheOtherViews() throws Exception {
    cache.put("k", new byte[] {1});
    EncodedEntry entry =
        new EncodedEntry(Bytes.of((byte) 2, (byte) 'k'), Bytes.of((byte) 1, (byte) 2), 9_000_000);

    assertThat(await(encoded.putIfAbsent(entry)))
        .contains(new EncodedEntry(entry.key(), Bytes.of((byte) 1, (byte) 1), 0));
    assertThat((byte[]) cache.get("k")).containsExactly(1);
    await(encoded.put(entry));
    assertThat((byte[]) cache.get("k")).containsExactly(2);
    assertThat(await(encoded.putIfAbsent(entry))).contains(entry);
    micros.set(9_000_000);
    assertThat(cache.get("k")).isNull();
    assertThat(await(encoded.putIfAbsent(new EncodedEntry(entry.key(), entry.value(), 0))))
        .isEmpty();
    assertThat((byte[]) cache.get("k")).containsExactly(2);
  }

  @Test
  void anEntryOverTheLimitIsRefused() {
    Bytes large = Bytes.of(new byte[1001]);
    Bytes small = Bytes.of(new byte[1000]);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> encoded.put(new EncodedEntry(small, large, 0)))
        .withMessageContaining("at most 1000 bytes; got 1001");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> encoded.putIfAbsent(new EncodedEntry(large, small, 0)));
  }

  @Test
  void aClosedCacheFails() {
    EncodedScan scan = encoded.scan();
    faces.close();

    assertThatIllegalStateException().isThrownBy(scan::next);
    assertThatIllegalStateException().isThrownBy(encoded::scan);
  }

  private List<EncodedEntry> scanned() throws Exception {
    List<EncodedEntry> all = new ArrayList<>();
    try (EncodedScan scan = encoded.scan()) {
      for (List<EncodedEntry> batch = await(scan.next());
          !batch.isEmpty();
          batch = await(scan.next())) {
        all.addAll(batch);
      }
    }
    return all;
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
