package io.ensemble.cache.lease;

import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.repartition.GenerationMark;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Generation marks as entries of a cache that is a part of a distributed cache. Their keys differ
 * from all users' keys, because encoded keys begin with a small number; users do not see them.
 * Engines and all code that copies a cache treat them as ordinary entries.
 */
public final class GenerationEntries {

  private static final byte FIRST = (byte) 0xfe;

  private GenerationEntries() {}

  /** The key of the generation entry for the distributed cache of that birth. */
  public static Bytes key(String birth) {
    byte[] name = birth.getBytes(StandardCharsets.US_ASCII);
    return Bytes.of(ByteBuffer.allocate(1 + name.length).put(FIRST).put(name).array());
  }

  /** Whether a key is that of a generation entry. */
  public static boolean isOne(Bytes key) {
    return key.size() > 0 && key.array()[0] == FIRST;
  }

  /** Encodes a mark as a value. */
  public static Payload payload(GenerationMark mark) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
    return new Payload(Bytes.of(bytes.putLong(mark.generation()).putLong(mark.turn()).array()), 0);
  }

  /** Decodes the mark of a value; {@link GenerationMark#NONE} if there is no value. */
  public static GenerationMark of(@Nullable Payload payload) {
    if (payload == null) {
      return GenerationMark.NONE;
    }
    ByteBuffer bytes = ByteBuffer.wrap(payload.value().array());
    return new GenerationMark(bytes.getLong(), bytes.getLong());
  }

  /** The same scan without generation entries. */
  public static EntryScan without(EntryScan scan) {
    return new EntryScan() {
      @Override
      public CompletionStage<List<Entry>> next(Deadline deadline) {
        return BatchFilter.of(() -> scan.next(deadline), entry -> !isOne(entry.key()));
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }
}
