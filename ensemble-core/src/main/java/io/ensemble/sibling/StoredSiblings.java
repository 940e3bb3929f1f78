package io.ensemble.sibling;

import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * The state of a key in one store: the siblings, and which of their actors the store is. Copies
 * carry the siblings alone. So a store that is filled from others, or that receives the key again
 * after losing it, becomes a new actor with its first write. This holds even when the store
 * receives its own former writes: it may not have received all of them.
 *
 * <p>No other store can have seen more of an actor's writes than the actor itself. If a copy has,
 * the store has gone back in time and no longer is that actor. The writes that the store made since
 * may cover, or be covered by, the lost ones: no store can tell.
 *
 * @param actor null while nothing was written here
 */
public record StoredSiblings<V>(Siblings<V> siblings, @Nullable Actor actor) {

  /** The state of a store without the key. */
  public static <V> StoredSiblings<V> none() {
    return new StoredSiblings<>(Siblings.none(), null);
  }

  /** The state after a copy has arrived; this object itself if the copy brings nothing new. */
  public StoredSiblings<V> joined(Siblings<V> copy) {
    Siblings<V> both = siblings.join(copy);
    return both.equals(siblings) ? this : new StoredSiblings<>(both, unlessForgetful(copy.seen()));
  }

  /**
   * The state after a write that is applied here.
   *
   * @param stamp above {@link Siblings#last} and all of {@code overwritten}
   * @param overwritten the writes that this write replaces; {@link Siblings#seen} for all
   * @param value null for a removal
   */
  public StoredSiblings<V> written(Stamp stamp, ActorVersionVector overwritten, @Nullable V value) {
    Actor same = unlessForgetful(overwritten);
    Actor writer = same == null ? Actor.born(stamp) : same;
    return new StoredSiblings<>(siblings.written(writer, stamp, overwritten, value), writer);
  }

  /** The limit of {@link Siblings#atMost}. */
  public StoredSiblings<V> atMost(int most) {
    Siblings<V> fewer = siblings.atMost(most);
    return fewer == siblings ? this : new StoredSiblings<>(fewer, actor);
  }

  private @Nullable Actor unlessForgetful(ActorVersionVector others) {
    boolean back = actor != null && others.latest(actor) > siblings.seen().latest(actor);
    return back ? null : actor;
  }
}
