package io.ensemble.rest.http;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Who asks.
 *
 * @param name for logs; never a secret
 * @param permissions what they may do
 * @param now what they may do when it is asked, for answers that go on for long: fails if they are
 *     not known any more. Must not wait
 * @param naming told the name of what a request is about, where its address does not bear it
 */
public record RestCaller(
    String name,
    Permissions permissions,
    Supplier<CompletionStage<Permissions>> now,
    Consumer<String> naming) {

  /** Nobody has said who they are, and nobody wants to know. */
  public static final RestCaller ANYBODY = new RestCaller("anybody", Permissions.ALL);

  /** One whose requests nobody writes down. */
  public RestCaller(
      String name, Permissions permissions, Supplier<CompletionStage<Permissions>> now) {
    this(name, permissions, now, named -> {});
  }

  /** Somebody who may always do the same. */
  public RestCaller(String name, Permissions permissions) {
    this(name, permissions, () -> CompletableFuture.completedFuture(permissions));
  }

  /** Whether the caller may know which sites there are besides those of their caches. */
  public boolean seesSites() {
    return permissions.ofFederation(Role.READ);
  }

  /** Whether the caller has the role in a cache. */
  public boolean may(Role role, String cache) {
    return permissions.ofCache(role, cache);
  }

  /**
   * @throws ProblemException if the caller does not have the role in the cache
   */
  public void check(Role role, String cache) {
    if (!may(role, cache)) {
      throw forbidden(role);
    }
  }

  /**
   * @throws ProblemException if the caller does not have the role in the federation
   */
  public void check(Role role) {
    if (!permissions.ofFederation(role)) {
      throw forbidden(role);
    }
  }

  /** The same document whether there is such a thing or not. */
  public static ProblemException forbidden(Role role) {
    String word = role.name().toLowerCase(Locale.ROOT);
    return new ProblemException(
        Problem.bare(
                ProblemType.FORBIDDEN,
                "wanted a caller with the role '%s' of what is asked for".formatted(word))
            .with("role", word));
  }
}
