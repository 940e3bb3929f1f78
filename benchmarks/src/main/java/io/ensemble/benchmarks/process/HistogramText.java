package io.ensemble.benchmarks.process;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms in the text form that processes exchange: compressed, in base 64. */
public final class HistogramText {

  private static final int DIGITS = 3;

  private HistogramText() {}

  public static String of(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    byte[] bytes = new byte[length];
    buffer.rewind();
    buffer.get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  /**
   * Reads a histogram.
   *
   * @param text empty for an empty histogram
   * @throws IllegalStateException if the text is not a histogram
   */
  public static Histogram read(String text) {
    if (text.isEmpty()) {
      return new Histogram(DIGITS);
    }
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    } catch (DataFormatException e) {
      throw new IllegalStateException("a process reports what cannot be read", e);
    }
  }
}
