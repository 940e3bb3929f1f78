package io.ensemble.rest.policy;

import io.ensemble.rest.http.Role;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The roles that callers have. Immutable. */
public record AccessPolicy(List<Grant> grants) {

  /** The roles that can be granted. */
  public static final Set<Role> GIVEN =
      Set.copyOf(EnumSet.of(Role.READ, Role.WRITE, Role.LISTEN, Role.ADMIN));

  /**
   * A grant of roles.
   *
   * @param subjects names and attributes of identities, exact
   * @param caches names of caches, exact or with {@code *}; empty for the federation
   */
  public record Grant(Set<String> subjects, List<String> caches, Set<Role> roles) {

    public Grant {
      subjects = Set.copyOf(subjects);
      caches = List.copyOf(caches);
      roles = Set.copyOf(roles);
      caches.forEach(Glob::new);
    }
  }

  public AccessPolicy {
    grants = List.copyOf(grants);
  }

  /** A policy that lets a single identity do everything. */
  public static AccessPolicy everythingFor(String name) {
    return new AccessPolicy(
        List.of(
            new Grant(Set.of(name), List.of("*"), GIVEN),
            new Grant(Set.of(name), List.of(), GIVEN)));
  }

  /** The grants of an identity; empty if the policy does not mention it. */
  public RoleGrants of(CallerIdentity identity) {
    Set<String> names = identity.names();
    List<RoleGrants.OfCaches> caches = new ArrayList<>();
    Set<Role> federationRoles = EnumSet.noneOf(Role.class);
    for (Grant grant : grants) {
      if (grant.subjects().stream().anyMatch(names::contains)) {
        if (grant.caches().isEmpty()) {
          federationRoles.addAll(grant.roles());
        } else {
          caches.add(new RoleGrants.OfCaches(grant.caches(), grant.roles()));
        }
      }
    }
    return new RoleGrants(caches, federationRoles);
  }
}
