package io.ensemble.rest.policy;

import java.util.Set;
import java.util.TreeSet;

/**
 * Who somebody has proved to be.
 *
 * @param name with how it was proved before it, as in {@code user:ada}, so that nobody gets
 *     another's name by being known elsewhere: {@code user}, {@code token}, {@code certificate} or
 *     {@code jwt}
 * @param marks what else is true of them and a policy may name: {@code claim:groups=ops}
 */
public record CallerIdentity(String name, Set<String> marks) {

  public CallerIdentity {
    marks = Set.copyOf(marks);
  }

  /** Somebody of whom nothing else is known. */
  public static CallerIdentity of(String how, String name) {
    return new CallerIdentity(how + ":" + name, Set.of());
  }

  /** All that a policy may call them. */
  Set<String> names() {
    Set<String> all = new TreeSet<>(marks);
    all.add(name);
    return all;
  }
}
