package io.ensemble.objects;

import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.SessionEntry;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A state that was seen without opening the object, for who looks at it often: while the object has
 * not changed, a look costs its round trip, but not the reading of the state.
 *
 * @param birth which of the objects that have had its name
 * @param step after which step
 * @param mark what else tells the step: one that the store has shown and then lost, as some do when
 *     a node dies, has the number of another one
 * @param state the state; whoever shares it changes nothing in it
 */
public record ObservedState<T>(UUID birth, long step, long mark, T state) {

  static <T> ObservedState<T> after(ObjectRoot root, T state) {
    return new ObservedState<>(root.birth(), root.sequence(), mark(root), state);
  }

  /**
   * Looks, as {@link AtomicObjectFactory#glance} does.
   *
   * @param before what was seen before, which is given back if the object has not changed since;
   *     null for none
   * @return empty if the state's entry is replaced again and again; {@code glance} opens the object
   *     then. Fails as that does
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

  /** By which sessions' batches an object has come to a root. */
  private static long mark(ObjectRoot root) {
    long mark = root.position();
    for (SessionEntry sessionEntry : root.members()) {
      mark = 31 * mark + sessionEntry.session().hashCode();
      mark = 31 * mark + sessionEntry.number();
    }
    return mark;
  }
}
