package io.ensemble.rest.identity;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.policy.CallerIdentity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * All methods of authentication of this service. If a request has an Authorization header, the
 * header decides, otherwise the client's certificate: a valid certificate does not compensate for a
 * wrong token.
 */
public final class Authentication implements AutoCloseable {

  private static final String BEARER = "Bearer realm=\"ensemble\"";
  private static final String BASIC = "Basic realm=\"ensemble\", charset=\"UTF-8\"";

  private final Optional<StaticTokens> tokens;
  private final Optional<JwtVerifier> jwts;
  private final Optional<PasswordVerifier> passwords;
  private final Optional<ClientCertificates> certificates;
  private final Optional<Supplier<RevocationLists>> revocationLists;
  private final List<AutoCloseable> resources;

  /** Authentication without a check of the revocation of certificates. */
  public Authentication(
      Optional<StaticTokens> tokens,
      Optional<JwtVerifier> jwts,
      Optional<PasswordVerifier> passwords,
      Optional<ClientCertificates> certificates,
      List<AutoCloseable> resources) {
    this(tokens, jwts, passwords, certificates, Optional.empty(), resources);
  }

  /**
   * @param revocationLists asked at each request with a certificate; empty if revocation is not
   *     checked
   * @param resources closed with this object
   */
  public Authentication(
      Optional<StaticTokens> tokens,
      Optional<JwtVerifier> jwts,
      Optional<PasswordVerifier> passwords,
      Optional<ClientCertificates> certificates,
      Optional<Supplier<RevocationLists>> revocationLists,
      List<AutoCloseable> resources) {
    this.revocationLists = revocationLists;
    this.tokens = tokens;
    this.jwts = jwts;
    this.passwords = passwords;
    this.certificates = certificates;
    this.resources = List.copyOf(resources);
  }

  /**
   * Authenticates the caller. Fails with {@link ProblemException} if the caller is unknown, or
   * cannot be authenticated at present. May complete on a separate thread.
   */
  public CompletionStage<CallerIdentity> identify(RequestHead head) {
    CompletionStage<CallerIdentity> identity;
    try {
      identity = identifyByCredentials(head);
    } catch (RuntimeException e) {
      identity = CompletableFuture.failedFuture(e);
    }
    return identity.exceptionally(
        failure -> {
          Throwable cause =
              failure instanceof CompletionException && failure.getCause() != null
                  ? failure.getCause()
                  : failure;
          if (cause instanceof AuthenticationFailedException authenticationFailedException) {
            throw toUnauthenticated(head, authenticationFailedException);
          }
          throw cause instanceof RuntimeException other ? other : new CompletionException(cause);
        });
  }

  private CompletionStage<CallerIdentity> identifyByCredentials(RequestHead head) {
    List<String> headers = head.headers().getOrDefault("authorization", List.of());
    if (headers.size() > 1) {
      throw new AuthenticationFailedException("expected one Authorization header; got several");
    }
    boolean hasCertificate = certificates.isPresent() && !head.certificates().isEmpty();
    Instant now = Instant.now();
    if (hasCertificate) { // Also beside other credentials: the certificate may be required.
      revocationLists.ifPresent(lists -> lists.get().check(head.certificates(), now));
    }
    if (headers.isEmpty()) {
      if (hasCertificate) {
        return CompletableFuture.completedFuture(
            certificates.orElseThrow().identify(head.certificates().get(0), now));
      }
      throw new AuthenticationFailedException("the request has no credentials");
    }
    String header = headers.get(0).strip();
    int space = header.indexOf(' ');
    String scheme = (space < 0 ? header : header.substring(0, space)).toLowerCase(Locale.ROOT);
    String credentials = space < 0 ? "" : header.substring(space + 1).strip();
    return switch (scheme) {
      case "bearer" -> identifyByToken(head, credentials);
      case "basic" -> identifyByPassword(head, credentials);
      default ->
          throw new AuthenticationFailedException("the authentication scheme is not supported");
    };
  }

  private CompletionStage<CallerIdentity> identifyByToken(RequestHead head, String token) {
    Optional<CallerIdentity> identity =
        tokens.flatMap(staticTokens -> staticTokens.identify(token));
    if (identity.isPresent()) {
      return CompletableFuture.completedFuture(identity.get());
    }
    return jwts.orElseThrow(() -> new AuthenticationFailedException("the token is not accepted"))
        .identify(token, head.remote());
  }

  private CompletionStage<CallerIdentity> identifyByPassword(RequestHead head, String credentials) {
    PasswordVerifier verifier =
        passwords.orElseThrow(
            () -> new AuthenticationFailedException("the authentication scheme is not supported"));
    if (!head.secure()) {
      throw new AuthenticationFailedException(
          "passwords require TLS; change this password, because it was sent in clear text");
    }
    return verifier.identify(credentials, head.remote());
  }

  private ProblemException toUnauthenticated(
      RequestHead head, AuthenticationFailedException authenticationFailedException) {
    List<String> challenges = new ArrayList<>();
    if (tokens.isPresent() || jwts.isPresent() || passwords.isEmpty()) {
      boolean hasCredentials = head.headers().containsKey("authorization");
      challenges.add(hasCredentials ? BEARER + ", error=\"invalid_token\"" : BEARER);
    }
    if (passwords.isPresent() && head.secure()) {
      challenges.add(BASIC);
    }
    if (challenges.isEmpty()) {
      challenges.add(BEARER);
    }
    return new ProblemException(
        Problem.bare(
                ProblemType.UNAUTHENTICATED,
                String.valueOf(authenticationFailedException.getMessage()))
            .header("WWW-Authenticate", String.join(", ", challenges)),
        authenticationFailedException.attemptedUser());
  }

  @Override
  public void close() {
    passwords.ifPresent(PasswordVerifier::close);
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        throw new IllegalStateException(
            "cannot be closed: " + resource.getClass().getSimpleName(), e);
      }
    }
  }
}
