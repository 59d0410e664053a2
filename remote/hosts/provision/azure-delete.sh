#!/bin/sh
# Delete what azure-create.sh has created: the whole resource group, after asking for its name.
# Usage: azure-delete.sh          DRY_RUN=1 azure-delete.sh only prints the az commands
#        CONFIRM=GROUP azure-delete.sh answers the question beforehand
# Written from the documentation of the Azure CLI and tried in dry run and against a stand-in only.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=remote/hosts/provision/azure-settings.sh
. "$folder/azure-settings.sh"

if [ "${DRY_RUN:-0}" = 1 ]; then
    run_az group show --name "$GROUP" --query "tags.$TAG_NAME" --output tsv
    run_az resource list --resource-group "$GROUP" --output table
    run_az group delete --name "$GROUP" --yes --no-wait
    exit 0
fi
command -v az >/dev/null || die "the Azure CLI \`az\` is not installed: https://aka.ms/installazurecli"
[ "$(az group exists --name "$GROUP")" = true ] || die "there is no resource group $GROUP (choose with GROUP=)"
found=$(az group show --name "$GROUP" --query "tags.$TAG_NAME" --output tsv)
[ "$found" = "$TAG" ] || die "the group $GROUP has no tag $TAG_NAME=$TAG: it is not ours, nothing is deleted"
foreign=$(az resource list --resource-group "$GROUP" --output tsv \
    --query "[?tags.$TAG_NAME!='$TAG' && type=='Microsoft.Compute/virtualMachines'].name")
[ -z "$foreign" ] || die "the group $GROUP has VMs that are not ours, nothing is deleted: $(echo "$foreign" | tr '\n' ' ')"

az resource list --resource-group "$GROUP" --output table
if [ -z "${CONFIRM:-}" ]; then
    printf 'All of this is going to be deleted. Type the name of the group (%s) to go on: ' "$GROUP" >&2
    read -r CONFIRM || CONFIRM=''
fi
[ "$CONFIRM" = "$GROUP" ] || die "that is not $GROUP: nothing is deleted"
az group delete --name "$GROUP" --yes --no-wait
echo "Deletion of $GROUP has begun; \`az group exists --name $GROUP\` says false when it is done." >&2
