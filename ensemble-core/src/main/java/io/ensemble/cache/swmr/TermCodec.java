package io.ensemble.cache.swmr;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.ByteReader;
import io.ensemble.envelope.ByteWriter;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Term;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;

/** A term as a value of the control cache. */
final class TermCodec {

  /**
   * Code that supports only the first version has no closing of terms, and would recover keys into
   * a term that closes.
   */
  private static final int VERSION = 2;

  private static final int ACTIVE = 1;
  private static final int CLOSING = 2;

  private TermCodec() {}

  static Payload encode(Term term) {
    ByteWriter out = new ByteWriter(96);
    out.oneByte(VERSION);
    out.oneByte((term.active() ? ACTIVE : 0) | (term.closing() ? CLOSING : 0));
    out.variable(term.epoch());
    out.variable(term.floor());
    out.variable(term.beat());
    out.eightBytes(term.writer().high());
    out.eightBytes(term.writer().low());
    out.bytes(term.primary().getBytes(UTF_8));
    return new Payload(out.toBytes(), 0);
  }

  /**
   * Fails with {@link MalformedEnvelopeException}; its message distinguishes a record of another
   * version from a malformed one.
   */
  static Term decode(Bytes stored) {
    ByteReader in = new ByteReader(stored);
    int version = in.oneByte();
    if (version != VERSION) {
      throw MalformedEnvelopeException.ofVersion("a cache's record of terms", VERSION, version);
    }
    int flags = in.oneByte();
    long epoch = in.variable();
    long floor = in.variable();
    long beat = in.variable();
    WriterId writer = new WriterId(in.eightBytes(), in.eightBytes());
    String primary = new String(in.rest().array(), UTF_8);
    if (flags > (ACTIVE | CLOSING) || primary.isEmpty()) {
      throw new MalformedEnvelopeException("a term; flags=%d primary=%s".formatted(flags, primary));
    }
    try {
      boolean active = (flags & ACTIVE) != 0;
      return new Term(epoch, primary, writer, beat, active, floor, (flags & CLOSING) != 0);
    } catch (IllegalArgumentException exception) {
      throw new MalformedEnvelopeException("a term; " + exception);
    }
  }
}
