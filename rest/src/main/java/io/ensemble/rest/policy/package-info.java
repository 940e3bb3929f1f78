/**
 * Who may do what: {@link io.ensemble.rest.policy.Policy} gives a {@link
 * io.ensemble.rest.policy.Identity} its {@link io.ensemble.rest.policy.Grants}. Values without I/O;
 * what is not granted is denied. {@link io.ensemble.rest.policy.PolicyText} reads one.
 */
@NullMarked
package io.ensemble.rest.policy;

import org.jspecify.annotations.NullMarked;
