package io.ensemble.rest.policy;

import java.util.Set;
import java.util.TreeSet;

/**
 * The authenticated identity of a caller.
 *
 * @param name the name, prefixed by the method of authentication, as in {@code user:ada}; the
 *     prefixes {@code user}, {@code token}, {@code certificate} and {@code jwt} keep names of
 *     different methods apart
 * @param marks further attributes that a policy may name: {@code claim:groups=ops}
 */
public record CallerIdentity(String name, Set<String> marks) {

  public CallerIdentity {
    marks = Set.copyOf(marks);
  }

  /** An identity without further attributes. */
  public static CallerIdentity of(String how, String name) {
    return new CallerIdentity(how + ":" + name, Set.of());
  }

  /** All names and attributes by which a policy may refer to the identity. */
  Set<String> names() {
    Set<String> all = new TreeSet<>(marks);
    all.add(name);
    return all;
  }
}
