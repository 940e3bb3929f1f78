package io.ensemble.benchmarks.objects;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What a process says when it has done a task.
 *
 * @param total what the objects of its clients say has been done with them, since they were made
 * @param done operations that were acknowledged, counted in time or not
 * @param notBegun arrivals for which there was no room
 * @param histogram nanoseconds of those that ended while it counted, compressed, in base 64
 * @param threads how many the process has
 */
record Report(long total, long done, long notBegun, String histogram, int threads) {

  static Report of(long total) {
    return new Report(total, 0, 0, "", 0);
  }

  static String encoded(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    byte[] bytes = new byte[length];
    buffer.rewind();
    buffer.get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  Histogram latencies() {
    if (histogram.isEmpty()) {
      return new Histogram(3);
    }
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0);
    } catch (DataFormatException e) {
      throw new IllegalStateException("a process reports what cannot be read", e);
    }
  }
}
