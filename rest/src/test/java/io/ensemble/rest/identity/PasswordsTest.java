package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.RequestHead;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PasswordsTest {

  private static final int QUICK = 10_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final AtomicReference<Map<String, PasswordHash>> users =
      new AtomicReference<>(Map.of("ada", hash("correct:horse")));

  private static PasswordHash hash(String password) {
    return PasswordHash.of(password.toCharArray(), QUICK, RANDOM);
  }

  private static Authentication by(Passwords passwords) {
    return new Authentication(
        Optional.empty(), Optional.empty(), Optional.of(passwords), Optional.empty(), List.of());
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
    try (Passwords passwords = new Passwords(users::get, RANDOM)) {
      Authentication by = by(passwords);

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

  /** For the audit: guesses at one account are not lost among others. */
  @Test
  void aWrongPasswordTellsTheAuditWhoseItWasToBeAndTheCallerNothing() {
    try (Passwords passwords = new Passwords(users::get, RANDOM)) {
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

        assertThat(by(passwords).identify(head))
            .failsWithin(Duration.ofSeconds(20))
            .withThrowableOfType(ExecutionException.class)
            .havingCause()
            .isInstanceOfSatisfying(
                ProblemException.class,
                refused -> {
                  assertThat(refused.tried()).contains(name);
                  assertThat(refused.problem().toString()).doesNotContain(name);
                });
      }
    }
  }

  @Test
  void aPasswordThatWasChangedIsForgotten() {
    try (Passwords passwords = new Passwords(users::get, RANDOM)) {
      Authentication by = by(passwords);
      assertThat(who(by, true, "ada:correct:horse")).isEqualTo("user:ada");

      users.set(Map.of("ada", hash("another")));

      assertThat(who(by, true, "ada:correct:horse")).startsWith("Basic");
      assertThat(who(by, true, "ada:another")).isEqualTo("user:ada");
      users.set(Map.of());
      assertThat(who(by, true, "ada:another")).startsWith("Basic");
    }
  }

  /** By the processor's time, also where a slower hash came into the file since the start. */
  @Test
  void aWrongGuessTakesAsLongWhetherThereIsSuchAUserOrNot() {
    try (Passwords passwords = new Passwords(users::get, RANDOM)) {
      PasswordHash slow = PasswordHash.of("x".toCharArray(), 20 * QUICK, RANDOM);
      users.set(Map.of("ada", hash("correct:horse"), "bob", slow));
      Authentication by = by(passwords);
      long[] nanos = new long[3];

      for (int i = 0; i < 6; i++) {
        long begin = System.nanoTime();
        who(by, true, List.of("ada:w", "bob:w", "eve:w").get(i % 3) + i);
        long took = System.nanoTime() - begin;
        nanos[i % 3] = i < 3 ? took : Math.min(nanos[i % 3], took);
      }

      assertThat(nanos[0]).isGreaterThan(nanos[1] / 4);
      assertThat(nanos[2]).isGreaterThan(nanos[1] / 4);
    }
  }

  @Test
  void moreGuessesThanMayWaitAreRefusedAtOnce() {
    users.set(Map.of("ada", PasswordHash.of("x".toCharArray(), 400_000, RANDOM)));
    try (Passwords passwords = new Passwords(users::get, RANDOM)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 80; i++) {
                  passwords.identity(Base64.getEncoder().encodeToString(("ada:" + i).getBytes()));
                }
              })
          .isInstanceOf(RejectedExecutionException.class);
    }
  }

  @Test
  void aFileOfUsersIsReadLineByLineAndAWrongLineIsNamedButNotShown() {
    String line = "ada:" + PasswordHash.of("correct:horse".toCharArray(), RANDOM).text();
    String weak = "ada:" + hash("correct:horse").text();

    assertThat(Passwords.read(("# who\n\n" + line + "\n").getBytes())).containsOnlyKeys("ada");
    for (String wrong :
        List.of("ada:secret", "ada", ":x", weak, line + "\n" + line, "ada:pbkdf2-sha512:1:a:b")) {
      assertThatThrownBy(() -> Passwords.read(("#\n" + wrong).getBytes()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("line ")
          .hasMessageNotContaining("secret");
    }
    assertThat(PasswordHash.parse(line.substring(4)).isOf("correct:horse".toCharArray())).isTrue();
  }
}
