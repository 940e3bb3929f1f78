package io.ensemble.rest.policy;

import io.ensemble.rest.http.Permissions;
import io.ensemble.rest.http.Role;
import java.util.List;
import java.util.Set;

/**
 * The roles granted to a caller. Roles do not contain each other, with three exceptions. A caller
 * with any role sees the thing. A listener of the federation receives the information that readers
 * of the federation see. An administrator of the federation administers each cache, which does not
 * include reading entries.
 *
 * @param federation roles in the federation; there, only READ, LISTEN and ADMIN have a meaning
 */
public record RoleGrants(List<OfCaches> caches, Set<Role> federation) implements Permissions {

  /**
   * Roles in caches.
   *
   * @param names exact, or with {@code *} for any characters
   */
  public record OfCaches(List<String> names, Set<Role> roles) {

    public OfCaches {
      names = List.copyOf(names);
      roles = Set.copyOf(roles);
    }

    boolean has(String cache) {
      return names.stream().anyMatch(name -> new Glob(name).matches(cache));
    }
  }

  public RoleGrants {
    caches = List.copyOf(caches);
    federation = Set.copyOf(federation);
  }

  @Override
  public boolean ofCache(Role role, String cache) {
    return switch (role) {
      case NONE -> true;
      case SEE -> !federation.isEmpty() || caches.stream().anyMatch(one -> one.has(cache));
      case ADMIN -> federation.contains(Role.ADMIN) || given(role, cache);
      default -> given(role, cache);
    };
  }

  private boolean given(Role role, String cache) {
    return caches.stream().anyMatch(one -> one.roles().contains(role) && one.has(cache));
  }

  @Override
  public boolean ofFederation(Role role) {
    return switch (role) {
      case NONE -> true;
      case SEE -> !federation.isEmpty();
      case READ -> federation.contains(Role.READ) || federation.contains(Role.ADMIN);
      default -> federation.contains(role);
    };
  }

  @Override
  public boolean somewhere(Role role) {
    return ofFederation(role)
        || caches.stream().anyMatch(one -> role == Role.SEE || one.roles().contains(role));
  }
}
