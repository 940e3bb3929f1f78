package io.ensemble.rest.http;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A caller.
 *
 * @param name for logs; never a secret
 * @param permissions the caller's permissions
 * @param currentPermissions the permissions at the time of the call, for long responses; fails if
 *     the caller is no longer known. Must not block
 * @param nameRecorder receives the name of the thing that a request concerns, if the address does
 *     not contain it
 * @param changeRecorder receives what a request changes into what, before the change begins or
 *     after it succeeded
 */
public record RestCaller(
    String name,
    Permissions permissions,
    Supplier<CompletionStage<Permissions>> currentPermissions,
    Consumer<String> nameRecorder,
    Consumer<SettingsChange> changeRecorder) {

  /** The caller of a service without authentication. */
  public static final RestCaller ANYBODY = new RestCaller("anybody", Permissions.ALL);

  /** A caller without an audit of names and settings. */
  public RestCaller(
      String name,
      Permissions permissions,
      Supplier<CompletionStage<Permissions>> currentPermissions) {
    this(name, permissions, currentPermissions, named -> {}, SettingsChange.UNRECORDED);
  }

  /** A caller with constant permissions. */
  public RestCaller(String name, Permissions permissions) {
    this(name, permissions, () -> CompletableFuture.completedFuture(permissions));
  }

  /** Whether the caller may see sites other than those of the caller's caches. */
  public boolean seesSites() {
    return permissions.hasRoleInFederation(Role.READ);
  }

  /** Whether the caller has the role in a cache. */
  public boolean hasRole(Role role, String cache) {
    return permissions.hasRoleInCache(role, cache);
  }

  /**
   * @throws ProblemException if the caller does not have the role in the cache
   */
  public void check(Role role, String cache) {
    if (!hasRole(role, cache)) {
      throw forbidden(role);
    }
  }

  /**
   * @throws ProblemException if the caller does not have the role in the federation
   */
  public void check(Role role) {
    if (!permissions.hasRoleInFederation(role)) {
      throw forbidden(role);
    }
  }

  /** The refusal; its document is the same whether the thing exists or not. */
  public static ProblemException forbidden(Role role) {
    String roleName = role.name().toLowerCase(Locale.ROOT);
    return new ProblemException(
        Problem.bare(
                ProblemType.FORBIDDEN,
                "expected a caller with the role '%s' for the resource".formatted(roleName))
            .with("role", roleName));
  }
}
