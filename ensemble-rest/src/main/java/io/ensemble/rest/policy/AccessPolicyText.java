package io.ensemble.rest.policy;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.json.JsonFields;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** A policy as JSON: {@code {"grants": [{"who": [...], "caches": [...], "roles": [...]}]}}. */
public final class AccessPolicyText {

  private static final int MOST_GRANTS = 10_000;
  private static final int MOST_NAMES = 1_000;
  private static final Pattern WHO =
      Pattern.compile("(user|token|certificate|jwt):.+|claim:[^=]+=.+", Pattern.DOTALL);

  private AccessPolicyText() {}

  /**
   * @throws io.ensemble.rest.http.ProblemException if a field is invalid; the problem names the
   *     field
   */
  public static AccessPolicy read(byte[] json) {
    List<AccessPolicy.Grant> grants = new ArrayList<>();
    for (JsonFields one :
        JsonFields.of(json, "grants")
            .objects("grants", MOST_GRANTS, "who", "caches", "federation", "roles")
            .orElse(List.of())) {
      grants.add(grant(one));
    }
    return new AccessPolicy(grants);
  }

  private static AccessPolicy.Grant grant(JsonFields one) {
    List<String> who = some(one, "who");
    for (String name : who) {
      if (!WHO.matcher(name).matches()) {
        throw Problem.invalid(
            one.full("who"),
            "user:NAME, token:NAME, certificate:NAME, jwt:NAME or claim:NAME=VALUE",
            name);
      }
    }
    if (one.has("caches") == one.has("federation")) {
      throw Problem.invalid(
          one.full("caches"), "either 'caches' with 'roles', or 'federation'", "both or neither");
    }
    if (one.has("federation")) {
      if (one.has("roles")) {
        throw Problem.invalid(one.full("roles"), "no value together with 'federation'", "a value");
      }
      Set<Role> roles = roles(one, "federation");
      if (roles.contains(Role.WRITE)) {
        throw Problem.invalid(one.full("federation"), "read, listen or admin", "write");
      }
      return new AccessPolicy.Grant(Set.copyOf(who), List.of(), roles);
    }
    List<String> caches = some(one, "caches");
    if (caches.contains("")) {
      throw Problem.invalid(one.full("caches"), "names or patterns of caches", "an empty name");
    }
    return new AccessPolicy.Grant(Set.copyOf(who), caches, roles(one, "roles"));
  }

  private static Set<Role> roles(JsonFields one, String field) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String word : some(one, field)) {
      roles.add(
          AccessPolicy.GIVEN.stream()
              .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(word))
              .findFirst()
              .orElseThrow(
                  () -> Problem.invalid(one.full(field), "read, write, listen or admin", word)));
    }
    return roles;
  }

  private static List<String> some(JsonFields one, String field) {
    List<String> all = one.texts(field, MOST_NAMES).orElse(List.of());
    if (all.isEmpty()) {
      throw Problem.invalid(one.full(field), "one or more", "none");
    }
    return all;
  }
}
