package io.ensemble.objects;

import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A state that was read without opening the object, for callers that read it often. While the
 * object has not changed, a read costs its round trip, but does not decode the state again.
 *
 * @param birth the birth of the object; objects of the same name have different births
 * @param step the step after which the object has this state
 * @param mark a digest that distinguishes steps of the same number: after the death of a node, some
 *     stores lose a step that they have shown, and a different step gets its number
 * @param state the state; it is shared and must not be changed
 */
public record ObservedState<T>(UUID birth, long step, long mark, T state) {

  static <T> ObservedState<T> after(ObjectRoot root, T state) {
    return new ObservedState<>(root.birth(), root.sequence(), mark(root), state);
  }

  /**
   * Reads the state, as {@link AtomicObjectFactory#glance} does.
   *
   * @param before the state of an earlier read, which is returned if the object has not changed
   *     since; null for none
   * @return empty if the entry of the state was replaced in each attempt; {@code glance} opens the
   *     object in this case. Fails as {@code glance} does
   */
  public static <T> CompletionStage<Optional<ObservedState<T>>> of(
      AtomicObjectFactory factory,
      String name,
      ObjectType<T> type,
      @Nullable ObservedState<T> before) {
    factory.checkUse("glance");
    return factory.openings.sighted(name, factory.machine(type), before);
  }

  boolean isAfter(ObjectRoot root) {
    return root.sequence() == step && root.birth().equals(birth) && mark(root) == mark;
  }

  /** A digest of the sessions and batch numbers that led to a root. */
  private static long mark(ObjectRoot root) {
    long mark = root.position();
    for (SessionEntry sessionEntry : root.members()) {
      mark = 31 * mark + sessionEntry.session().hashCode();
      mark = 31 * mark + sessionEntry.number();
    }
    return mark;
  }
}
