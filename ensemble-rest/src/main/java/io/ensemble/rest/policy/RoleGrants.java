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
 * @param federationRoles roles in the federation; there, only READ, LISTEN and ADMIN have a meaning
 */
public record RoleGrants(List<OfCaches> caches, Set<Role> federationRoles) implements Permissions {

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

    boolean matchesCache(String cache) {
      return names.stream().anyMatch(name -> new Glob(name).matches(cache));
    }
  }

  public RoleGrants {
    caches = List.copyOf(caches);
    federationRoles = Set.copyOf(federationRoles);
  }

  @Override
  public boolean hasRoleInCache(Role role, String cache) {
    return switch (role) {
      case NONE -> true;
      case SEE ->
          !federationRoles.isEmpty()
              || caches.stream().anyMatch(grant -> grant.matchesCache(cache));
      case ADMIN -> federationRoles.contains(Role.ADMIN) || hasGrant(role, cache);
      default -> hasGrant(role, cache);
    };
  }

  private boolean hasGrant(Role role, String cache) {
    return caches.stream()
        .anyMatch(grant -> grant.roles().contains(role) && grant.matchesCache(cache));
  }

  @Override
  public boolean hasRoleInFederation(Role role) {
    return switch (role) {
      case NONE -> true;
      case SEE -> !federationRoles.isEmpty();
      case READ -> federationRoles.contains(Role.READ) || federationRoles.contains(Role.ADMIN);
      default -> federationRoles.contains(role);
    };
  }

  @Override
  public boolean hasRoleAnywhere(Role role) {
    return hasRoleInFederation(role)
        || caches.stream().anyMatch(grant -> role == Role.SEE || grant.roles().contains(role));
  }
}
