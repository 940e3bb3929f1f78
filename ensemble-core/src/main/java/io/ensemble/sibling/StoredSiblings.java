package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * What one store has of a key: the siblings, and who the store is among their actors. Copies carry
 * the siblings alone, so a store that is filled from others, or has forgotten and hears of the key
 * again, becomes a new actor with its first write, even when what it hears of are its own former
 * writes: it may not have heard of all.
 *
 * <p>Nobody can have seen more of an actor than itself. Where somebody has, the store has gone back
 * in time, and is that actor no longer. What it wrote since, before it heard of that, may cover, or
 * be covered by, what it had forgotten: no store can tell.
 *
 * @param actor null while nothing was written here
 */
public record StoredSiblings<V>(Siblings<V> siblings, @Nullable Actor actor) {

  /** A store that has nothing. */
  public static <V> StoredSiblings<V> none() {
    return new StoredSiblings<>(Siblings.none(), null);
  }

  /** After a copy has come; this itself when that brings nothing. */
  public StoredSiblings<V> joined(Siblings<V> copy) {
    Siblings<V> both = siblings.join(copy);
    return both.equals(siblings) ? this : new StoredSiblings<>(both, unlessForgetful(copy.seen()));
  }

  /**
   * After a write that is applied here.
   *
   * @param stamp above {@link Siblings#last} and all of {@code overwritten}
   * @param overwritten what the write takes the place of; {@link Siblings#seen} for all
   * @param value null for a removal
   */
  public StoredSiblings<V> written(Stamp stamp, ActorVersionVector overwritten, @Nullable V value) {
    Actor same = unlessForgetful(overwritten);
    Actor writer = same == null ? Actor.born(stamp) : same;
    return new StoredSiblings<>(siblings.written(writer, stamp, overwritten, value), writer);
  }

  /** As {@link Siblings#atMost}. */
  public StoredSiblings<V> atMost(int most) {
    Siblings<V> fewer = siblings.atMost(most);
    return fewer == siblings ? this : new StoredSiblings<>(fewer, actor);
  }

  private @Nullable Actor unlessForgetful(ActorVersionVector others) {
    boolean back = actor != null && others.latest(actor) > siblings.seen().latest(actor);
    return back ? null : actor;
  }
}
