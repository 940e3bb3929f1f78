package io.ensemble.rest.policy;

import io.ensemble.rest.http.Role;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Who has which roles. Immutable. */
public record AccessPolicy(List<Grant> grants) {

  /** The roles that can be given. */
  public static final Set<Role> GIVEN =
      Set.copyOf(EnumSet.of(Role.READ, Role.WRITE, Role.LISTEN, Role.ADMIN));

  /**
   * Roles for some.
   *
   * @param who names and marks of identities, exact
   * @param caches names of caches, exact or with {@code *}; empty if it is the federation
   */
  public record Grant(Set<String> who, List<String> caches, Set<Role> roles) {

    public Grant {
      who = Set.copyOf(who);
      caches = List.copyOf(caches);
      roles = Set.copyOf(roles);
      caches.forEach(Glob::new);
    }
  }

  public AccessPolicy {
    grants = List.copyOf(grants);
  }

  /** Lets one identity do everything. */
  public static AccessPolicy everythingFor(String who) {
    return new AccessPolicy(
        List.of(
            new Grant(Set.of(who), List.of("*"), GIVEN), new Grant(Set.of(who), List.of(), GIVEN)));
  }

  /** What somebody may do: nothing, if nothing is said of them. */
  public RoleGrants of(CallerIdentity identity) {
    Set<String> names = identity.names();
    List<RoleGrants.OfCaches> caches = new ArrayList<>();
    Set<Role> federation = EnumSet.noneOf(Role.class);
    for (Grant grant : grants) {
      if (grant.who().stream().anyMatch(names::contains)) {
        if (grant.caches().isEmpty()) {
          federation.addAll(grant.roles());
        } else {
          caches.add(new RoleGrants.OfCaches(grant.caches(), grant.roles()));
        }
      }
    }
    return new RoleGrants(caches, federation);
  }
}
