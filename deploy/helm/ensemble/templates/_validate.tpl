{{/* What the schema cannot express: conditions between values. Renders nothing, or fails. */}}
{{- define "ensemble.validate" -}}

{{- $catalog := .Values.catalog -}}
{{- if and (eq $catalog.source "external") (not $catalog.servers) -}}
{{- fail "catalog.servers is required with catalog.source=external: host:port of each server of the ZooKeeper" -}}
{{- end -}}
{{- if and (ne $catalog.source "external") $catalog.servers -}}
{{- fail (printf "catalog.servers requires catalog.source=external; got catalog.source=%s" $catalog.source) -}}
{{- end -}}
{{- if and (eq $catalog.source "zoofence") (not .Values.zoofence.enabled) -}}
{{- fail "catalog.source=zoofence requires zoofence.enabled=true" -}}
{{- end -}}
{{- if and .Values.zoofence.enabled (not .Values.zoofence.ensembles) -}}
{{- fail "zoofence.ensembles is required with zoofence.enabled=true: a name and the servers of each ensemble" -}}
{{- end -}}
{{- if and .Values.zoofence.enabled (ne (len .Values.zoofence.ensembles) (len (include "ensemble.distinctNames" .Values.zoofence.ensembles | fromJsonArray))) -}}
{{- fail "zoofence.ensembles has two ensembles of one name" -}}
{{- end -}}

{{- $access := .Values.access -}}
{{- $ways := 0 -}}
{{- if $access.existingSecret -}}{{- $ways = add1 $ways -}}{{- end -}}
{{- if $access.tls.secretName -}}{{- $ways = add1 $ways -}}{{- end -}}
{{- if $access.clearText -}}{{- $ways = add1 $ways -}}{{- end -}}
{{- if ne (int $ways) 1 -}}
{{- fail (printf "exactly one of access.existingSecret, access.tls.secretName and access.clearText=true is required; got %d" (int $ways)) -}}
{{- end -}}
{{- if $access.existingSecret -}}
{{- if or $access.policy.grants $access.tokens $access.users.secretName $access.settings -}}
{{- fail "access.existingSecret contains the whole access file; access.policy, access.tokens, access.users and access.settings must be empty" -}}
{{- end -}}
{{- else if not $access.policy.grants -}}
{{- fail "access.policy.grants is empty, so no caller could do anything; add a grant, or set access.existingSecret" -}}
{{- end -}}
{{- if and $access.users.secretName $access.clearText -}}
{{- fail "access.users requires access.tls.secretName: passwords require TLS" -}}
{{- end -}}
{{- if ne (len $access.tokens) (len (include "ensemble.distinctNames" $access.tokens | fromJsonArray)) -}}
{{- fail "access.tokens has two tokens of one name" -}}
{{- end -}}

{{- if eq (include "ensemble.hasMetrics" .) "true" -}}
{{- if ne (include "ensemble.restIsTls" .) "true" -}}
{{- fail "metrics require access.tls: in clear text the service refuses the Host of a scrape, the address of a pod" -}}
{{- end -}}
{{- if $access.settings.hosts -}}
{{- fail "metrics require access.settings.hosts to be empty: the service refuses the Host of a scrape, the address of a pod" -}}
{{- end -}}
{{- end -}}
{{- if .Values.metrics.serviceMonitor.enabled -}}
{{- if not .Values.metrics.serviceMonitor.tokenSecret.name -}}
{{- fail "metrics.serviceMonitor.tokenSecret.name is required: /metrics answers callers with role read of the federation only" -}}
{{- end -}}
{{- if not (or .Values.metrics.serviceMonitor.caSecret.name $access.tls.secretName) -}}
{{- fail "metrics.serviceMonitor.caSecret.name is required with access.existingSecret" -}}
{{- end -}}
{{- end -}}

{{- $sites := dict -}}
{{- range $site := .Values.sites -}}
{{- if hasKey $sites $site.name -}}
{{- fail (printf "sites has two sites of one name; site=%s" $site.name) -}}
{{- end -}}
{{- $_ := set $sites $site.name $site -}}
{{- $credentials := default dict $site.credentials -}}
{{- if $site.existing -}}
{{- if $credentials.generate -}}
{{- fail (printf "credentials.generate is for sites that this release starts; site=%s" $site.name) -}}
{{- end -}}
{{- else -}}
{{- if eq (empty $credentials.secretName) (not $credentials.generate) -}}
{{- fail (printf "exactly one of credentials.secretName and credentials.generate=true is required; site=%s" $site.name) -}}
{{- end -}}
{{- if and $site.tls (not $site.tls.passwordSecret) -}}
{{- fail (printf "tls.passwordSecret is required: the password of keystore.p12; site=%s" $site.name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.rest.localSite .Values.sites (not (hasKey $sites .Values.rest.localSite)) -}}
{{- fail (printf "rest.localSite must be one of sites; got %s" .Values.rest.localSite) -}}
{{- end -}}

{{- $caches := dict -}}
{{- range $cache := .Values.caches -}}
{{- if hasKey $caches $cache.name -}}
{{- fail (printf "caches has two caches of one name; cache=%s" $cache.name) -}}
{{- end -}}
{{- $_ := set $caches $cache.name $cache -}}
{{- if and $cache.sites $cache.replication -}}
{{- fail (printf "sites and replication exclude each other; cache=%s" $cache.name) -}}
{{- end -}}
{{- range default list $cache.sites -}}
{{- if not (hasKey $sites .) -}}
{{- fail (printf "the site of a cache must be one of sites; cache=%s site=%s" $cache.name .) -}}
{{- end -}}
{{- end -}}
{{- if ne $cache.mode "weak" -}}
{{- $candidates := default (keys $sites | sortAlpha) $cache.sites -}}
{{- range $name := $candidates -}}
{{- $site := index $sites $name -}}
{{- $nodes := $site.nodes -}}
{{- if $site.existing -}}
{{- $nodes = $site.existing.nodes -}}
{{- if and $site.existing.endpoints (ne (len $site.existing.endpoints) (int $nodes)) -}}
{{- fail (printf "a cache in mode %s requires an address of each node of its sites; cache=%s site=%s nodes=%d endpoints=%d" $cache.mode $cache.name $name (int $nodes) (len $site.existing.endpoints)) -}}
{{- end -}}
{{- end -}}
{{- if and (eq (int $nodes) 2) (eq (len $candidates) 1) -}}
{{- fail (printf "a cache in mode %s at one site requires 1 node, or 3 or more; cache=%s site=%s nodes=2" $cache.mode $cache.name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- end -}}

{{/* The distinct names of a list of objects with names, as JSON. */}}
{{- define "ensemble.distinctNames" -}}
{{- $names := list -}}
{{- range . -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- uniq $names | toJson -}}
{{- end -}}
