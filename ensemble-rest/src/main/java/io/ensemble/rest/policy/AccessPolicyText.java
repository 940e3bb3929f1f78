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
    for (JsonFields fields :
        JsonFields.of(json, "grants")
            .objects("grants", MOST_GRANTS, "who", "caches", "federation", "roles")
            .orElse(List.of())) {
      grants.add(readGrant(fields));
    }
    return new AccessPolicy(grants);
  }

  private static AccessPolicy.Grant readGrant(JsonFields fields) {
    List<String> subjects = readList(fields, "who");
    for (String name : subjects) {
      if (!WHO.matcher(name).matches()) {
        throw Problem.invalid(
            fields.fullName("who"),
            "user:NAME, token:NAME, certificate:NAME, jwt:NAME or claim:NAME=VALUE",
            name);
      }
    }
    if (fields.has("caches") == fields.has("federation")) {
      throw Problem.invalid(
          fields.fullName("caches"),
          "either 'caches' with 'roles', or 'federation'",
          "both or neither");
    }
    if (fields.has("federation")) {
      if (fields.has("roles")) {
        throw Problem.invalid(
            fields.fullName("roles"), "no value together with 'federation'", "a value");
      }
      Set<Role> roles = readRoles(fields, "federation");
      if (roles.contains(Role.WRITE)) {
        throw Problem.invalid(fields.fullName("federation"), "read, listen or admin", "write");
      }
      return new AccessPolicy.Grant(Set.copyOf(subjects), List.of(), roles);
    }
    List<String> caches = readList(fields, "caches");
    if (caches.contains("")) {
      throw Problem.invalid(
          fields.fullName("caches"), "names or patterns of caches", "an empty name");
    }
    return new AccessPolicy.Grant(Set.copyOf(subjects), caches, readRoles(fields, "roles"));
  }

  private static Set<Role> readRoles(JsonFields fields, String field) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String roleName : readList(fields, field)) {
      roles.add(
          AccessPolicy.GIVEN.stream()
              .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(roleName))
              .findFirst()
              .orElseThrow(
                  () ->
                      Problem.invalid(
                          fields.fullName(field), "read, write, listen or admin", roleName)));
    }
    return roles;
  }

  private static List<String> readList(JsonFields fields, String field) {
    List<String> values = fields.texts(field, MOST_NAMES).orElse(List.of());
    if (values.isEmpty()) {
      throw Problem.invalid(fields.fullName(field), "one or more", "none");
    }
    return values;
  }
}
