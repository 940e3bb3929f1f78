/**
 * Who may do what: {@link io.ensemble.rest.policy.AccessPolicy} gives a {@link
 * io.ensemble.rest.policy.CallerIdentity} its {@link io.ensemble.rest.policy.RoleGrants}. Values
 * without I/O; what is not granted is denied. {@link io.ensemble.rest.policy.AccessPolicyText}
 * reads one.
 */
@NullMarked
package io.ensemble.rest.policy;

import org.jspecify.annotations.NullMarked;
