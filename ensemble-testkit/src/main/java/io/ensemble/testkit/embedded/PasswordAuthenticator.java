package io.ensemble.testkit.embedded;

import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import javax.security.sasl.SaslServerFactory;
import org.infinispan.server.core.security.SubjectUserInfo;
import org.infinispan.server.core.security.sasl.AuthorizingCallbackHandler;
import org.infinispan.server.core.security.sasl.SaslAuthenticator;
import org.infinispan.server.core.security.sasl.SubjectSaslServer;
import org.jspecify.annotations.Nullable;
import org.wildfly.security.auth.callback.AvailableRealmsCallback;
import org.wildfly.security.auth.callback.CredentialCallback;
import org.wildfly.security.credential.PasswordCredential;
import org.wildfly.security.password.Password;
import org.wildfly.security.password.PasswordFactory;
import org.wildfly.security.password.WildFlyElytronPasswordProvider;
import org.wildfly.security.password.interfaces.ClearPassword;
import org.wildfly.security.password.interfaces.ScramDigestPassword;
import org.wildfly.security.password.spec.EncryptablePasswordSpec;
import org.wildfly.security.password.spec.IteratedSaltedPasswordAlgorithmSpec;
import org.wildfly.security.sasl.digest.DigestServerFactory;
import org.wildfly.security.sasl.scram.ScramSaslServerFactory;

/** Checks one user name and password with the SASL mechanisms that come with the Hot Rod client. */
final class PasswordAuthenticator implements SaslAuthenticator {
  /** The default realm of Infinispan's servers and clients. */
  private static final String REALM = "default";

  private static final Provider PASSWORDS = WildFlyElytronPasswordProvider.getInstance();

  /**
   * The fewest iterations that clients accept. By default a clear password costs 20,000 iterations
   * for each connection, at the client and at the server.
   */
  private static final int ITERATIONS = 4_096;

  private final String user;

  /** The password in each form that a mechanism may ask for. */
  private final List<Password> passwords;

  PasswordAuthenticator(String user, String password) {
    this.user = user;
    this.passwords =
        List.of(
            digest(ScramDigestPassword.ALGORITHM_SCRAM_SHA_512, password),
            digest(ScramDigestPassword.ALGORITHM_SCRAM_SHA_256, password),
            ClearPassword.createRaw(ClearPassword.ALGORITHM_CLEAR, password.toCharArray()));
  }

  private static Password digest(String algorithm, String password) {
    byte[] salt = new byte[ScramDigestPassword.DEFAULT_SALT_SIZE];
    new SecureRandom().nextBytes(salt);
    try {
      return PasswordFactory.getInstance(algorithm, PASSWORDS)
          .generatePassword(
              new EncryptablePasswordSpec(
                  password.toCharArray(),
                  new IteratedSaltedPasswordAlgorithmSpec(ITERATIONS, salt)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no digest of a password; algorithm=" + algorithm, e);
    }
  }

  @Override
  public SaslServer createSaslServer(
      String mechanism,
      List<Principal> principals,
      String protocol,
      String serverName,
      Map<String, String> properties)
      throws SaslException {
    // The factory is named here and not looked up: a factory found through the JDK would not find
    // the password algorithms of Elytron.
    SaslServerFactory factory =
        mechanism.startsWith("SCRAM")
            ? new ScramSaslServerFactory(PASSWORDS)
            : new DigestServerFactory(PASSWORDS);
    PasswordHandshake conversation = new PasswordHandshake();
    SaslServer server =
        factory.createSaslServer(mechanism, protocol, serverName, properties, conversation);
    if (server == null) {
      throw new SaslException("mechanism not offered: " + mechanism);
    }
    return new SubjectSaslServer(server, principals, conversation);
  }

  /**
   * The handshake of one connection: the mechanism first names the user, then asks for the
   * password.
   */
  private final class PasswordHandshake implements AuthorizingCallbackHandler {
    private @Nullable String claimed;

    @Override
    public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
      for (Callback callback : callbacks) {
        if (callback instanceof NameCallback name) {
          claimed = name.getDefaultName();
        } else if (callback instanceof CredentialCallback credential) {
          answer(credential);
        } else if (callback instanceof AuthorizeCallback authorize) {
          authorize.setAuthorized(user.equals(authorize.getAuthorizationID()));
        } else if (callback instanceof AvailableRealmsCallback realms) {
          realms.setRealmNames(REALM);
        } else if (callback instanceof RealmCallback realm) {
          realm.setText(REALM);
        } else {
          throw new UnsupportedCallbackException(callback);
        }
      }
    }

    private void answer(CredentialCallback credential) throws UnsupportedCallbackException {
      Password offered =
          passwords.stream()
              .filter(
                  one ->
                      credential.isCredentialTypeSupported(
                          PasswordCredential.class, one.getAlgorithm()))
              .findFirst()
              .orElseThrow(() -> new UnsupportedCallbackException(credential));
      if (user.equals(claimed)) {
        credential.setCredential(new PasswordCredential(offered));
      }
    }

    @Override
    public SubjectUserInfo getSubjectUserInfo(Collection<Principal> principals) {
      Subject subject = new Subject(true, Set.copyOf(principals), Set.of(), Set.of());
      return new User(user, List.copyOf(principals), subject);
    }
  }

  private record User(String name, Collection<Principal> principals, Subject subject)
      implements SubjectUserInfo {
    @Override
    public String getUserName() {
      return name;
    }

    @Override
    public Collection<Principal> getPrincipals() {
      return principals;
    }

    @Override
    public Subject getSubject() {
      return subject;
    }
  }
}
