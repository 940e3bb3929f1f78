package io.ensemble.cache.weak.entry;

import io.ensemble.cache.Payload;
import io.ensemble.envelope.ByteReader;
import io.ensemble.envelope.ByteWriter;
import io.ensemble.envelope.EncryptedPayload;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.sibling.Actor;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.Sibling;
import io.ensemble.sibling.Siblings;
import io.ensemble.sibling.StoredSiblings;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Encodes siblings as an envelope. The stamp is that of the last write, the context is the version
 * vector, and the payload holds the values, or is absent when none is alive. The envelope expires
 * when the last of the values does, if all of them expire. So the envelope alone shows whether the
 * entry is spent. The state is the actor of the store, at a store that is an actor. Entries of two
 * sites may therefore differ in the state alone.
 */
public final class SiblingCodec {

  private static final int TOKEN = 1;

  private SiblingCodec() {}

  public static Envelope envelope(StoredSiblings<Payload> storedSiblings) {
    Siblings<Payload> siblings = withoutMixedEncryption(storedSiblings.siblings());
    long end = 0;
    for (Payload value : siblings.values()) {
      if (value.endMicros() == 0) {
        end = 0;
        break;
      }
      end = Math.max(end, value.endMicros());
    }
    return new Envelope(
        siblings.last(),
        end,
        causes(siblings.seen()),
        storedSiblings.actor() == null ? null : bytes(storedSiblings.actor()),
        values(siblings.alive()),
        isEncrypted(siblings));
  }

  /** The siblings and the actor in an envelope. */
  public static StoredSiblings<Payload> resident(Envelope envelope) {
    Bytes state = envelope.state();
    return new StoredSiblings<>(
        siblings(envelope),
        state == null || envelope.context() == null ? null : actor(new ByteReader(state)));
  }

  /**
   * The siblings in an envelope. An envelope without a context is a value from before siblings were
   * kept.
   */
  public static Siblings<Payload> siblings(Envelope envelope) {
    Bytes context = envelope.context();
    Bytes payload = envelope.payload();
    if (context == null) {
      return plain(envelope);
    }
    try {
      return new Siblings<>(
          envelope.stamp(),
          causes(context),
          payload == null ? List.of() : values(payload, envelope.encrypted()));
    } catch (IllegalArgumentException exception) {
      throw new MalformedEnvelopeException(
          "siblings and their causal context; " + exception.getMessage());
    }
  }

  /**
   * Leaves out encrypted values if other values are not encrypted. A private cache's stores show no
   * values in clear, so encrypted values are foreign in a public cache. They still count as seen,
   * and so do not come back.
   */
  private static Siblings<Payload> withoutMixedEncryption(Siblings<Payload> siblings) {
    List<Sibling<Payload>> plainSiblings =
        siblings.alive().stream().filter(sibling -> !sibling.value().encrypted()).toList();
    return plainSiblings.isEmpty() || plainSiblings.size() == siblings.alive().size()
        ? siblings
        : new Siblings<>(siblings.last(), siblings.seen(), plainSiblings);
  }

  private static boolean isEncrypted(Siblings<Payload> siblings) {
    return siblings.values().stream().anyMatch(Payload::encrypted);
  }

  private static Siblings<Payload> plain(Envelope envelope) {
    Stamp stamp = envelope.stamp();
    Bytes value = envelope.payload();
    SortedMap<Actor, Long> seen = new TreeMap<>();
    seen.put(Actor.NONE, stamp.micros());
    return new Siblings<>(
        stamp,
        new ActorVersionVector(seen),
        value == null
            ? List.of()
            : List.of(
                new Sibling<>(
                    Actor.NONE,
                    stamp,
                    new Payload(value, envelope.endMicros(), envelope.encrypted()))));
  }

  /** The causal context of a reader of {@code key}, in encoded form. */
  public static Bytes token(Bytes key, ActorVersionVector seen) {
    Bytes causes = causes(seen);
    ByteWriter out = new ByteWriter(9 + causes.size());
    out.oneByte(TOKEN);
    out.eightBytes(EntryFingerprint.of(key, TOKEN));
    out.bytes(causes.array());
    return out.toBytes();
  }

  /**
   * The versions of {@code key} that {@code token} covers.
   *
   * @throws IllegalArgumentException if the token is not one of that key
   */
  public static ActorVersionVector seen(Bytes key, Bytes token) {
    try {
      ByteReader in = new ByteReader(token);
      if (in.oneByte() == TOKEN && in.eightBytes() == EntryFingerprint.of(key, TOKEN)) {
        return causes(in.rest());
      }
    } catch (MalformedEnvelopeException | IllegalArgumentException exception) {
      throw new IllegalArgumentException(
          "a causal context must be one that a read returned; " + token, exception);
    }
    throw new IllegalArgumentException(
        "a causal context must be used with the key that it was read from; " + token);
  }

  static Bytes causes(ActorVersionVector causes) {
    ByteWriter out = new ByteWriter(1 + 24 * causes.latest().size());
    out.variable(causes.latest().size());
    causes
        .latest()
        .forEach(
            (actor, micros) -> {
              write(out, actor);
              out.eightBytes(micros);
            });
    return out.toBytes();
  }

  static ActorVersionVector causes(Bytes bytes) {
    ByteReader in = new ByteReader(bytes);
    SortedMap<Actor, Long> latest = new TreeMap<>();
    long remaining = in.variable();
    while (remaining-- > 0) {
      latest.put(actor(in), in.eightBytes());
    }
    return new ActorVersionVector(latest);
  }

  private static @Nullable Bytes values(List<Sibling<Payload>> liveSiblings) {
    if (liveSiblings.isEmpty()) {
      return null;
    }
    int size = liveSiblings.stream().mapToInt(sibling -> 64 + sibling.value().value().size()).sum();
    ByteWriter out = new ByteWriter(size);
    out.variable(liveSiblings.size());
    for (Sibling<Payload> sibling : liveSiblings) {
      write(out, sibling.actor());
      out.eightBytes(sibling.stamp().micros());
      out.eightBytes(sibling.stamp().writer().high());
      out.eightBytes(sibling.stamp().writer().low());
      out.variable(sibling.value().endMicros());
      out.sized(sibling.value().value());
    }
    return out.toBytes();
  }

  private static List<Sibling<Payload>> values(Bytes bytes, boolean encrypted) {
    ByteReader in = new ByteReader(bytes);
    List<Sibling<Payload>> liveSiblings = new ArrayList<>();
    long remaining = in.variable();
    while (remaining-- > 0) {
      Actor actor = actor(in);
      long micros = in.eightBytes();
      Stamp stamp = new Stamp(micros, new WriterId(in.eightBytes(), in.eightBytes()));
      long end = in.variable();
      Bytes value = in.sized();
      if (encrypted) {
        EncryptedPayload.check(value, stamp);
      }
      liveSiblings.add(new Sibling<>(actor, stamp, new Payload(value, end, encrypted)));
    }
    return liveSiblings;
  }

  private static Bytes bytes(Actor actor) {
    ByteWriter out = new ByteWriter(16);
    write(out, actor);
    return out.toBytes();
  }

  private static void write(ByteWriter out, Actor actor) {
    out.eightBytes(actor.birth());
    out.eightBytes(actor.by());
  }

  private static Actor actor(ByteReader in) {
    return new Actor(in.eightBytes(), in.eightBytes());
  }
}
