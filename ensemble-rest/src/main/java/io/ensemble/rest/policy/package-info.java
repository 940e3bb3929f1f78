/**
 * The access policy: {@link io.ensemble.rest.policy.AccessPolicy} gives a {@link
 * io.ensemble.rest.policy.CallerIdentity} its {@link io.ensemble.rest.policy.RoleGrants}. These are
 * values without I/O; a permission that is not granted is denied. {@link
 * io.ensemble.rest.policy.AccessPolicyText} reads a policy.
 */
@NullMarked
package io.ensemble.rest.policy;

import org.jspecify.annotations.NullMarked;
