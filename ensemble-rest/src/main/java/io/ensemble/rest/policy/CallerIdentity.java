package io.ensemble.rest.policy;

import java.util.Set;
import java.util.TreeSet;

/**
 * The authenticated identity of a caller.
 *
 * @param name the name, prefixed by the method of authentication, as in {@code user:ada}; the
 *     prefixes {@code user}, {@code token}, {@code certificate} and {@code jwt} keep names of
 *     different methods apart
 * @param attributes further attributes that a policy may name: {@code claim:groups=ops}
 */
public record CallerIdentity(String name, Set<String> attributes) {

  public CallerIdentity {
    attributes = Set.copyOf(attributes);
  }

  /** An identity without further attributes. */
  public static CallerIdentity of(String method, String name) {
    return new CallerIdentity(method + ":" + name, Set.of());
  }

  /** All names and attributes by which a policy may refer to the identity. */
  Set<String> names() {
    Set<String> names = new TreeSet<>(attributes);
    names.add(name);
    return names;
  }
}
