package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PasswordVerifierTest {

  private static final int QUICK = 1_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final AtomicReference<Map<String, PasswordHash>> users =
      new AtomicReference<>(Map.of("ada", hash("correct:horse")));

  private static PasswordHash hash(String password) {
    return PasswordHash.of(password.toCharArray(), QUICK, RANDOM);
  }

  private static Authentication by(PasswordVerifier passwordVerifier) {
    return new Authentication(
        Optional.empty(),
        Optional.empty(),
        Optional.of(passwordVerifier),
        Optional.empty(),
        List.of());
  }

  private static String who(Authentication by, boolean tls, String credentials) {
    String header = "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes());
    return whoSays(by, tls, header);
  }

  private static String whoSays(Authentication by, boolean tls, String header) {
    RequestHead head =
        new RequestHead(
            "GET",
            "/caches",
            Map.of(),
            Map.of(),
            Map.of("authorization", List.of(header)),
            tls,
            "127.0.0.1",
            List.of());
    try {
      return by.identify(head).toCompletableFuture().join().name();
    } catch (CompletionException e) {
      ProblemException refused = (ProblemException) e.getCause();
      assertThat(refused.problem().toString()).doesNotContain("horse");
      return refused.problem().headers().get("WWW-Authenticate");
    }
  }

  @Test
  void theRightPasswordIsAcceptedOverTlsOnly() {
    try (PasswordVerifier passwordVerifier = new PasswordVerifier(users::get, RANDOM)) {
      Authentication by = by(passwordVerifier);

      assertThat(who(by, true, "ada:correct:horse")).isEqualTo("user:ada");
      assertThat(who(by, true, "ada:correct:horse")).isEqualTo("user:ada");
      assertThat(who(by, false, "ada:correct:horse")).startsWith("Bearer");
      assertThat(who(by, true, "ada:wrong horse")).startsWith("Basic");
      assertThat(who(by, true, "ada:")).startsWith("Basic");
      assertThat(who(by, true, "eve:correct:horse")).startsWith("Basic");
      assertThat(who(by, true, "nothing")).startsWith("Basic");
      assertThat(whoSays(by, true, "Basic ???")).startsWith("Basic");
      assertThat(whoSays(by, true, "Basic")).startsWith("Basic");
    }
  }

  /** The audit names the account, so that guesses at one account are visible. */
  @Test
  void aWrongPasswordTellsTheAuditWhoseItWasToBeAndTheCallerNothing() {
    try (PasswordVerifier passwordVerifier = new PasswordVerifier(users::get, RANDOM)) {
      for (String name : List.of("ada", "eve")) {
        String header = "Basic " + Base64.getEncoder().encodeToString((name + ":w").getBytes());
        RequestHead head =
            new RequestHead(
                "GET",
                "/",
                Map.of(),
                Map.of(),
                Map.of("authorization", List.of(header)),
                true,
                "h",
                List.of());

        assertThat(by(passwordVerifier).identify(head))
            .failsWithin(Duration.ofSeconds(60))
            .withThrowableOfType(ExecutionException.class)
            .havingCause()
            .isInstanceOfSatisfying(
                ProblemException.class,
                refused -> {
                  assertThat(refused.attemptedUser()).contains(name);
                  assertThat(refused.problem().toString()).doesNotContain(name);
                });
      }
    }
  }

  @Test
  void aPasswordThatWasChangedIsForgotten() {
    try (PasswordVerifier passwordVerifier = new PasswordVerifier(users::get, RANDOM)) {
      Authentication by = by(passwordVerifier);
      assertThat(who(by, true, "ada:correct:horse")).isEqualTo("user:ada");

      users.set(Map.of("ada", hash("another")));

      assertThat(who(by, true, "ada:correct:horse")).startsWith("Basic");
      assertThat(who(by, true, "ada:another")).isEqualTo("user:ada");
      users.set(Map.of());
      assertThat(who(by, true, "ada:another")).startsWith("Basic");
    }
  }

  /** A hash with more rounds than the others may have come into the file since the start. */
  @Test
  void aWrongGuessTakesAsManyRoundsWhetherThereIsSuchAUserOrNot() {
    AtomicInteger spent = new AtomicInteger();
    PasswordHash.Derivation counting =
        (password, rounds, salt) -> {
          spent.addAndGet(rounds);
          return PasswordHash.deriveHash(password, 1, salt);
        };
    try (PasswordVerifier passwordVerifier = new PasswordVerifier(users::get, RANDOM, counting)) {
      PasswordHash slow = PasswordHash.of("x".toCharArray(), 2 * QUICK, RANDOM);
      users.set(Map.of("ada", hash("correct:horse"), "bob", slow));
      Authentication by = by(passwordVerifier);

      for (String name : List.of("ada", "bob", "eve")) {
        spent.set(0);
        assertThat(who(by, true, name + ":w")).startsWith("Basic");
        assertThat(spent).as(name).hasValue(2 * QUICK);
      }
    }
  }

  /** Derives nothing before the release. */
  private static PasswordHash.Derivation heldUntil(CountDownLatch release) {
    return (password, rounds, salt) -> {
      try {
        release.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return salt;
    };
  }

  @Test
  void moreGuessesThanMayWaitAreRefused() {
    CountDownLatch release = new CountDownLatch(1);
    PasswordHash.Derivation held = heldUntil(release);
    try (PasswordVerifier passwordVerifier = new PasswordVerifier(users::get, RANDOM, held)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 80; i++) {
                  passwordVerifier.identify(
                      Base64.getEncoder().encodeToString(("ada:" + i).getBytes()), "address" + i);
                }
              })
          .isInstanceOf(RejectedExecutionException.class);
      release.countDown();
    }
  }

  @Test
  void oneAddressHasAPartOfTheGuesses() {
    CountDownLatch release = new CountDownLatch(1);
    PasswordHash.Derivation held = heldUntil(release);
    try (PasswordVerifier passwordVerifier = new PasswordVerifier(users::get, RANDOM, held)) {
      for (int i = 0; i < 32; i++) {
        passwordVerifier.identify(guess(i), "theirs");
      }

      assertThatThrownBy(() -> passwordVerifier.identify(guess(32), "theirs"))
          .isInstanceOfSatisfying(
              ProblemException.class,
              refused ->
                  assertThat(refused.problem().type()).isEqualTo(ProblemType.TOO_MANY_REQUESTS));
      assertThatCode(() -> passwordVerifier.identify(guess(33), "mine")).doesNotThrowAnyException();
      release.countDown();
    }
  }

  private static String guess(int number) {
    return Base64.getEncoder().encodeToString(("ada:" + number).getBytes());
  }

  @Test
  void aFileOfUsersIsReadLineByLineAndAWrongLineIsNamedButNotShown() {
    String line = "ada:" + PasswordHash.of("correct:horse".toCharArray(), RANDOM).text();
    String weak = "ada:" + hash("correct:horse").text();

    assertThat(PasswordVerifier.parseUsers(("# who\n\n" + line + "\n").getBytes()))
        .containsOnlyKeys("ada");
    for (String wrong :
        List.of("ada:secret", "ada", ":x", weak, line + "\n" + line, "ada:pbkdf2-sha512:1:a:b")) {
      assertThatThrownBy(() -> PasswordVerifier.parseUsers(("#\n" + wrong).getBytes()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("line ")
          .hasMessageNotContaining("secret");
    }
    assertThat(PasswordHash.parse(line.substring(4)).isHashOf("correct:horse".toCharArray()))
        .isTrue();
  }
}
