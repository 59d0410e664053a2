#!/bin/sh
# Create the studies' layout on Azure and write its inventory: 3 clients, 2 middlewares, 3 servers, one network.
# Usage: azure-create.sh [INVENTORY]     by default inventory.yml; it must not exist
#        DRY_RUN=1 azure-create.sh       only print the az commands
# What may be chosen: azure-settings.sh. The VMs cost money until azure-delete.sh has deleted them.
# Written from the documentation of the Azure CLI and tried in dry run and against a stand-in only.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=remote/hosts/provision/azure-settings.sh
. "$folder/azure-settings.sh"
inventory=${1:-inventory.yml}

dry() { [ "${DRY_RUN:-0}" = 1 ]; }

if ! dry; then
    command -v az >/dev/null || die "the Azure CLI \`az\` is not installed: https://aka.ms/installazurecli"
    az account show --output none || die "not logged in: run \`az login\` first"
fi
[ -f "$SSH_KEY.pub" ] || die "$SSH_KEY.pub does not exist: make a key with \`ssh-keygen -t ed25519 -f $SSH_KEY\`"
[ ! -e "$inventory" ] || die "$inventory exists: name another file, or delete what it stands for"

# SSH is let in from this address alone.
if [ -z "${CALLER_ADDRESS:-}" ]; then
    if dry; then
        CALLER_ADDRESS=192.0.2.1
    else
        CALLER_ADDRESS=$(curl --silent --fail --max-time 10 https://api.ipify.org) || CALLER_ADDRESS=''
    fi
fi
case $CALLER_ADDRESS in
    '') die "cannot find out from which address you come: give it as CALLER_ADDRESS=a.b.c.d" ;;
    0.0.0.0* | '*' | any | Any | Internet) die "CALLER_ADDRESS=$CALLER_ADDRESS would let everyone in" ;;
esac

tag="$TAG_NAME=$TAG"
if ! dry && [ "$(az group exists --name "$GROUP")" = true ]; then
    die "the resource group $GROUP exists: choose another with GROUP=, or delete it with azure-delete.sh"
fi

echo "Creating the network of group $GROUP in $LOCATION" >&2
run_az group create --name "$GROUP" --location "$LOCATION" --tags "$tag" --output none
run_az network nsg create --resource-group "$GROUP" --name lab-nsg --tags "$tag" --output none
run_az network nsg rule create --resource-group "$GROUP" --nsg-name lab-nsg --name ssh-from-caller \
    --priority 100 --direction Inbound --access Allow --protocol Tcp \
    --source-address-prefixes "$CALLER_ADDRESS" --destination-port-ranges 22 --output none
run_az network vnet create --resource-group "$GROUP" --name lab-vnet --address-prefixes "$NETWORK" \
    --subnet-name "$SUBNET" --subnet-prefixes "$NETWORK" --tags "$tag" --output none
run_az network vnet subnet update --resource-group "$GROUP" --vnet-name lab-vnet --name "$SUBNET" \
    --network-security-group lab-nsg --output none

# NAME ROLE SIZE ADDRESS of each VM, one a line. Azure keeps the first four addresses of a subnet.
layout() {
    i=0; while [ "$i" -lt "$CLIENTS" ]; do i=$((i + 1)); echo "c$i clients $CLIENT_SIZE 10.0.0.$((10 + i))"; done
    i=0; while [ "$i" -lt "$MIDDLEWARES" ]; do i=$((i + 1)); echo "m$i middlewares $MIDDLEWARE_SIZE 10.0.0.$((50 + i))"; done
    i=0; while [ "$i" -lt "$SERVERS" ]; do i=$((i + 1)); echo "s$i servers $SERVER_SIZE 10.0.0.$((100 + i))"; done
}

layout | while read -r name role size address; do
    echo "Creating $name ($size)" >&2
    run_az vm create --resource-group "$GROUP" --name "$name" --image "$IMAGE" --size "$size" \
        --admin-username "$ADMIN" --ssh-key-values "$SSH_KEY.pub" --authentication-type ssh \
        --vnet-name lab-vnet --subnet "$SUBNET" --private-ip-address "$address" --nsg "" \
        --public-ip-sku Standard --accelerated-networking false --storage-sku Standard_LRS \
        --custom-data "$folder/cloud-init-$role.yaml" --tags "$tag" "role=$role" --no-wait --output none </dev/null
done
layout | while read -r name role size address; do
    run_az vm wait --resource-group "$GROUP" --name "$name" --created --output none </dev/null
done

# A VM's host key comes through Azure's own channel, in which nobody on the way to its port 22 can stand:
# `ssh-keyscan` would believe whoever answers there.
host_key() { # NAME
    if dry; then
        run_az vm run-command invoke --resource-group "$GROUP" --name "$1" --command-id RunShellScript \
            --scripts "cat /etc/ssh/ssh_host_ed25519_key.pub" --query "value[0].message" --output tsv
        echo "ssh-ed25519 KEY-OF-$1"
        return
    fi
    az vm run-command invoke --resource-group "$GROUP" --name "$1" --command-id RunShellScript \
        --scripts "cloud-init status --wait >/dev/null 2>&1; cat /etc/ssh/ssh_host_ed25519_key.pub" \
        --query "value[0].message" --output tsv </dev/null | tr -d '\r' |
        sed -n 's/^\(ssh-ed25519 [A-Za-z0-9+\/=]*\).*/\1/p' | head -n 1
}

public_address() { # NAME
    if dry; then
        run_az vm show --resource-group "$GROUP" --name "$1" --show-details --query publicIps --output tsv
        echo "ADDRESS-OF-$1"
        return
    fi
    az vm show --resource-group "$GROUP" --name "$1" --show-details --query publicIps --output tsv </dev/null
}

part=$(mktemp)
trap 'rm -f "$part" "$part.keys"' EXIT
trap 'exit 130' INT TERM
{
    echo "# Written by azure-create.sh: VMs of the Azure resource group $GROUP."
    echo "all:"
    echo "  vars:"
    echo "    ansible_user: $ADMIN"
    echo "    ansible_ssh_private_key_file: $SSH_KEY"
    echo "    mwlab_known_hosts: $KNOWN_HOSTS"
    echo "    mwlab_work_dir: /home/$ADMIN/middleware-lab"
    echo "    mwlab_fleet: azure-$GROUP"
    echo "    mwlab_topology: azure-$LOCATION"
    echo "  children:"
} >"$part"
: >"$part.keys"
last=''
layout | while read -r name role size address; do
    public=$(public_address "$name")
    key=$(host_key "$name")
    [ -n "$public" ] || die "$name has no public address; \`az vm show --show-details\` tells more"
    [ -n "$key" ] || die "the host key of $name could not be fetched; repeat \`az vm run-command\` for it"
    if [ "$role" != "$last" ]; then
        printf '    %s:\n      hosts:\n' "$role" >>"$part"
        last=$role
    fi
    echo "        $name: {ansible_host: $public, mwlab_data_address: $address} # $size" >>"$part"
    echo "$public $key" >>"$part.keys"
done

if dry; then
    echo "The inventory would be:" >&2
    cat "$part"
    exit 0
fi
# Keys of former VMs at the same addresses are no longer true.
mkdir -p "$(dirname "$KNOWN_HOSTS")"
touch "$KNOWN_HOSTS"
while read -r public _; do
    ssh-keygen -q -f "$KNOWN_HOSTS" -R "$public" >/dev/null 2>&1 || true
done <"$part.keys"
cat "$part.keys" >>"$KNOWN_HOSTS"
cp "$part" "$inventory"
echo "Written: $inventory, and the host keys in $KNOWN_HOSTS. Next: lab hosts $inventory" >&2
