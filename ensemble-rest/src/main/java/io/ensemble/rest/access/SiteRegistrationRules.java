package io.ensemble.rest.access;

import io.ensemble.catalog.site.SiteAdmission;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.SecretReference;
import io.ensemble.catalog.site.SiteEntry.TlsReference;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressRefusedException;
import io.ensemble.site.address.AddressResolver;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for sites that callers register: the addresses of sites, and the files and variables of
 * this host with their passwords and certificates. A site under a caller's control sees from a
 * login whether a guessed password is right. Failures also show whether a file exists. Remote
 * callers may therefore name only the files and variables that the operator permits.
 *
 * @param files the files by the names that requests use; null for any
 * @param variables the environment variables; null for any
 */
public record SiteRegistrationRules(
    AddressPolicy addresses, @Nullable Set<String> files, @Nullable Set<String> variables) {

  public SiteRegistrationRules {
    files = files == null ? null : Set.copyOf(files);
    variables = variables == null ? null : Set.copyOf(variables);
  }

  /** Rules for callers that can read this host's files themselves. */
  public static SiteRegistrationRules ofThisHost(AddressPolicy addresses) {
    return new SiteRegistrationRules(addresses, null, null);
  }

  /**
   * Checks the references of a site.
   *
   * @throws ProblemException if a reference is not permitted; the problem names the field
   */
  public void check(SiteEntry site) {
    site.credentials()
        .flatMap(SiteEntry.CredentialsReference::password)
        .ifPresent(secret -> check("credentials.password", secret));
    Optional<TlsReference> tls = site.tls();
    tls.ifPresent(reference -> check("tls.trustStore", reference.trustStore(), files));
    tls.flatMap(TlsReference::password).ifPresent(secret -> check("tls.password", secret));
    tls.flatMap(TlsReference::keyStore).ifPresent(file -> check("tls.keyStore", file, files));
    tls.flatMap(TlsReference::revocationList)
        .ifPresent(file -> check("tls.revocationList", file, files));
    tls.flatMap(TlsReference::keyStorePassword)
        .ifPresent(secret -> check("tls.keyStorePassword", secret));
  }

  /**
   * The site, at addresses that the rules allow. Blocks for name resolution.
   *
   * @throws ProblemException if the site has another address
   */
  public SiteEntry admitted(SiteEntry site) {
    try {
      return SiteAdmission.of(site, addresses, AddressResolver.SYSTEM);
    } catch (AddressRefusedException e) {
      throw toProblem(e.getMessage() + "; " + addressAdvice());
    } catch (IllegalArgumentException e) {
      throw toProblem(String.valueOf(e.getMessage()));
    }
  }

  private static ProblemException toProblem(String detail) {
    return new ProblemException(
        Problem.bare(ProblemType.INVALID_FIELD, detail).with("field", "endpoints"));
  }

  private String addressAdvice() {
    return files == null // Without files there is no access file.
        ? "./ensemble rest --access FILE with 'sites' allows others"
        : "'sites' of the access file allows addresses";
  }

  private void check(String field, SecretReference secret) {
    secret.file().ifPresent(name -> check(field + ".file", name, files));
    secret.variable().ifPresent(name -> check(field + ".variable", name, variables));
  }

  private static void check(String field, String name, @Nullable Set<String> allowed) {
    if (allowed != null && !allowed.contains(name)) {
      throw Problem.invalid(field, "a name that the access file lists under 'siteSecrets'", name);
    }
  }
}
